// Faults for tests of the real runner: preloaded with LD_PRELOAD, so that the product has no hook.
//
// Does nothing unless one of these is set. Each takes effect FAULT_AFTER seconds (default 5, may be a
// fraction) after the process starts:
//
//   FAULT_GROW_MIB_PER_S=n  maps and touches n MiB each second, from then on
//   FAULT_HANG=1            the main thread never comes back: it enters a signal handler and stays
//   FAULT_EXIT=code         ends the process at once, with that code and without any clean-up
//   FAULT_ABORT=1           abort()
//
// A value that is not understood ends the process with code 2: a test with a typing error must not
// look like one whose fault had no effect.

#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static struct {
  double after;
  long grow_mib;
  long exit_code;  // -1: none
  long hang;
  long abort;
} faults = {.after = 5, .exit_code = -1};

static volatile sig_atomic_t hanging;

// One write, so that a line is not mixed with the runner's own.
__attribute__((format(printf, 1, 2))) static void Say(const char* format, ...) {
  char line[256];
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  if (length > 0) (void)!write(STDERR_FILENO, line, strnlen(line, sizeof line));
}

// The variable as a number in [lowest, highest]; `absent` when it is not set.
static double Number(const char* name, double lowest, double highest, double absent) {
  const char* text = getenv(name);
  if (text == NULL) return absent;
  char* end;
  errno = 0;
  const double value = strtod(text, &end);
  if (errno != 0 || end == text || *end != '\0' || !(value >= lowest && value <= highest)) {
    Say("libfaults: %s=%s is not a number from %g to %g\n", name, text, lowest, highest);
    _exit(2);
  }
  return value;
}

static void SleepSeconds(double seconds) {
  struct timespec left = {.tv_sec = (time_t)seconds};
  left.tv_nsec = (long)((seconds - (double)left.tv_sec) * 1e9);
  while (nanosleep(&left, &left) != 0 && errno == EINTR) {
  }
}

static void NeverReturn(int signal_number) {
  (void)signal_number;
  hanging = 1;
  for (;;) pause();
}

// A real-time signal near the top: the C library keeps the lowest, programs rarely use the highest.
static void HangMainThread(void) {
  const int signal_number = SIGRTMAX - 3;
  struct sigaction action = {.sa_handler = NeverReturn};
  sigaction(signal_number, &action, NULL);
  Say("libfaults: hanging the main thread\n");
  syscall(SYS_tgkill, getpid(), getpid(), signal_number);
  for (int i = 0; i < 50 && !hanging; ++i) SleepSeconds(0.1);
  if (!hanging) Say("libfaults: the main thread does not take signal %d\n", signal_number);
}

// Ten times a second, so that the growth looks like a leak and not like steps.
static void GrowForEver(void) {
  const size_t bytes = (size_t)faults.grow_mib * (1 << 20) / 10;
  Say("libfaults: growing by %ld MiB each second\n", faults.grow_mib);
  for (;;) {
    void* block = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block != MAP_FAILED) memset(block, 1, bytes);
    SleepSeconds(0.1);
  }
}

static void* Run(void* unused) {
  SleepSeconds(faults.after);
  if (faults.hang) HangMainThread();
  if (faults.exit_code >= 0) {
    Say("libfaults: exit code %ld\n", faults.exit_code);
    _exit((int)faults.exit_code);
  }
  if (faults.abort) {
    Say("libfaults: abort\n");
    abort();
  }
  if (faults.grow_mib > 0) GrowForEver();
  return unused;
}

__attribute__((constructor)) static void Start(void) {
  faults.after = Number("FAULT_AFTER", 0, 86400, 5);
  faults.grow_mib = (long)Number("FAULT_GROW_MIB_PER_S", 0, 1 << 20, 0);
  faults.hang = (long)Number("FAULT_HANG", 0, 1, 0);
  faults.exit_code = (long)Number("FAULT_EXIT", 0, 255, -1);
  faults.abort = (long)Number("FAULT_ABORT", 0, 1, 0);
  if (!faults.hang && !faults.abort && faults.exit_code < 0 && faults.grow_mib == 0) return;

  // The thread must take none of the signals that the program waits for in threads of its own.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  const int error = pthread_create(&thread, NULL, Run, NULL);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (error != 0) {
    Say("libfaults: no thread: %s\n", strerror(error));
    _exit(2);
  }
  pthread_detach(thread);
}
