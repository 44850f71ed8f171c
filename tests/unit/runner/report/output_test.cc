#include "runner/report/output.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <string>
#include <thread>

namespace torchsoak::runner {
namespace {

using std::chrono::milliseconds;

class Pipe {
 public:
  Pipe() { EXPECT_EQ(::pipe(ends_.data()), 0); }
  ~Pipe() {
    ::close(ends_[0]);
    ::close(ends_[1]);
  }
  int reader() const { return ends_[0]; }
  int writer() const { return ends_[1]; }

 private:
  std::array<int, 2> ends_{};
};

TEST(Output, WritesMoreThanAPipeHoldsToAReader) {
  const Pipe pipe;
  const std::string text(300'000, 'x');
  std::string read;
  std::thread reader([&] {
    std::array<char, 4096> buffer{};
    while (read.size() < text.size()) {
      const ssize_t n = ::read(pipe.reader(), buffer.data(), buffer.size());
      ASSERT_GT(n, 0);
      read.append(buffer.data(), static_cast<std::size_t>(n));
    }
  });
  EXPECT_TRUE(WriteAll(pipe.writer(), text, milliseconds(5000)));
  reader.join();
  EXPECT_EQ(read, text);
}

TEST(Output, GivesUpOnAReaderThatReadsNothing) {
  const Pipe pipe;
  EXPECT_FALSE(WriteAll(pipe.writer(), std::string(300'000, 'x'), milliseconds(20)));
  EXPECT_FALSE(TryWriteLine(pipe.writer(), "progress"));
}

// A reader that takes a little now and then must not hold the end of a run up for ever.
TEST(Output, PatienceIsForTheWholeText) {
  const Pipe pipe;
  std::atomic<bool> over = false;
  std::jthread drip([&] {
    std::array<char, 4096> buffer{};
    while (!over) {
      (void)!::read(pipe.reader(), buffer.data(), buffer.size());
      std::this_thread::sleep_for(milliseconds(10));
    }
  });
  EXPECT_FALSE(WriteAll(pipe.writer(), std::string(4'000'000, 'x'), milliseconds(200)));
  over = true;
}

TEST(Output, DropsALineThatCouldBlock) {
  const Pipe pipe;
  EXPECT_TRUE(TryWriteLine(pipe.writer(), "progress"));
  EXPECT_FALSE(TryWriteLine(pipe.writer(), std::string(5000, 'x')));
}

TEST(Output, SaysThatAClosedFileCannotBeWritten) {
  EXPECT_FALSE(WriteAll(-1, "x", milliseconds(10)));
}

}  // namespace
}  // namespace torchsoak::runner
