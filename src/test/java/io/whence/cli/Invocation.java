package io.whence.cli;

import java.io.PrintWriter;
import java.io.StringWriter;

/** Runs one command as a user would, in this process. */
final class Invocation {
  private Invocation() {}

  /** Runs a command against the server at {@code address}; returns the exit code. */
  static int run(String address, StringWriter out, StringWriter err, String... args) {
    String[] all = new String[args.length + 2];
    all[0] = args[0];
    all[1] = "--server";
    all[2] = address;
    System.arraycopy(args, 1, all, 3, args.length - 1);
    return Whence.run(all, new PrintWriter(out), new PrintWriter(err));
  }
}
