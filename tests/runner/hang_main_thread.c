/* For LD_PRELOAD: once the file HANG_FILE exists, the main thread enters a handler that never
 * returns, wherever it is at that moment. That is what a hung driver call looks like from outside,
 * and unlike SIGSTOP it leaves the other threads running. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_t main_thread;

static void never_return(int number) {
  (void)number;
  for (;;) pause();
}

static void *watch(void *path) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, NULL);
  while (access(path, F_OK) != 0) usleep(10000);
  pthread_kill(main_thread, SIGUSR1);
  return NULL;
}

__attribute__((constructor)) static void start(void) {
  char *path = getenv("HANG_FILE");
  pthread_t thread;
  if (path == NULL) return;
  main_thread = pthread_self();
  signal(SIGUSR1, never_return);
  pthread_create(&thread, NULL, watch, path);
}
