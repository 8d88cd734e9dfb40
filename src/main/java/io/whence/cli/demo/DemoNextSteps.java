package io.whence.cli.demo;

import io.whence.cli.Ink;
import io.whence.cli.OutputOptions;
import java.time.LocalDateTime;

/** Says what to type after the demo. Immutable. */
record DemoNextSteps(OutputOptions output, String topic, LocalDateTime from) {

  /** Prints commands for the server that goes on running, and how to end it. */
  void printRunning(DemoServer server) {
    output.line("The server goes on running at " + server.address() + ". Try:", Ink.BOLD);
    output.line("  export WHENCE_SERVER=" + server.address());
    output.line("  ./whence topics");
    output.line("  ./whence describe --source embedded --topic " + topic);
    output.line("  ./whence resolve --source embedded --topic " + topic + " --ago 2h");
    output.line(
        "  ./whence window --source embedded --topic "
            + topic
            + " --zone "
            + DemoQuestions.ZONE
            + " --from "
            + from
            + " --to "
            + from.plusHours(1));
    output.line("  ./whence lag --source embedded " + DemoGroups.GROUP);
    output.line(
        "  ./whence reset --source embedded " + DemoGroups.GROUP + " --by-duration 3h --dry-run");
    output.line("Log: " + server.directory().resolve("server.log"));
    output.line(
        "End it: kill "
            + server.pid()
            + "; while kill -0 "
            + server.pid()
            + " 2>/dev/null; do sleep 0.2; done; rm -r "
            + server.directory()
            + "; unset WHENCE_SERVER");
  }

  /** Prints commands for a reader whose server is gone. */
  void printStopped() {
    output.line("The server is stopped and its data removed. What next?", Ink.BOLD);
    output.line(
        "  ./whence demo --keep                 the same, left running for your own questions");
    output.line("  ./whence serve --data ./whence-data  a server of your own at localhost:9000");
    output.line("  ./whence serve --archive old=DIR     opens a Kafka data directory, read-only");
    output.line("  ./whence --help                      all commands");
  }
}
