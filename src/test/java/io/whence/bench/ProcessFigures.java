package io.whence.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * What the kernel has counted of a process; needs Linux. Thread safety: immutable.
 *
 * @param majorFaults pages that had to be read from a disk, since its start
 * @param readCalls system calls that read, those of sockets included, since its start
 * @param storageBytes bytes that were read from a disk, since its start
 * @param residentBytes memory that it has at this moment
 * @param threads threads that it has at this moment
 */
public record ProcessFigures(
    long majorFaults, long readCalls, long storageBytes, long residentBytes, long threads) {
  private static final int MAJOR_FAULTS_AFTER_NAME = 9;

  /** Returns the figures of a process as they are now. */
  public static ProcessFigures of(long pid) throws IOException {
    Path directory = Path.of("/proc", String.valueOf(pid));
    String stat = Files.readString(directory.resolve("stat"));
    // The name of the command, in brackets, may have blanks.
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
    List<String> io = Files.readAllLines(directory.resolve("io"));
    List<String> status = Files.readAllLines(directory.resolve("status"));
    return new ProcessFigures(
        Long.parseLong(fields[MAJOR_FAULTS_AFTER_NAME]),
        number(io, "syscr:"),
        number(io, "read_bytes:"),
        number(status, "VmRSS:") * 1024,
        number(status, "Threads:"));
  }

  private static long number(List<String> lines, String name) {
    for (String line : lines) {
      if (line.startsWith(name)) {
        return Long.parseLong(line.substring(name.length()).replace("kB", "").strip());
      }
    }
    throw new IllegalStateException("no " + name + " in " + lines);
  }

  /** Returns what was counted since other figures of the same process. */
  public ProcessFigures since(ProcessFigures before) {
    return new ProcessFigures(
        majorFaults - before.majorFaults,
        readCalls - before.readCalls,
        storageBytes - before.storageBytes,
        residentBytes - before.residentBytes,
        threads - before.threads);
  }
}
