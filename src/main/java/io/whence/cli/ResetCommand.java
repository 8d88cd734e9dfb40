package io.whence.cli;

import com.google.protobuf.Message;
import io.whence.cli.OffsetsCsv.Row;
import io.whence.v1.ApplyResetRequest;
import io.whence.v1.ApplyResetResponse;
import io.whence.v1.PlanOutcome;
import io.whence.v1.PlanResetRequest;
import io.whence.v1.PlanResetResponse;
import io.whence.v1.PlannedReset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Plans resets and applies them: all plans are shown, and all are fit to be applied, before the
 * first is. Single-writer.
 */
@Command(
    name = "reset",
    description = "Moves the offsets of a group; shows the plan first, and asks.",
    mixinStandardHelpOptions = true,
    footerHeading = "%nExample:%n",
    footer = {
      "  whence reset billing --topic orders --to-time 2024-03-09T14:00 --zone Asia/Shanghai",
      "",
      "A fall-back is a partition where the target leads nowhere, such as nothing at or after a",
      "time. It needs a yes of its own: at the terminal, or as an option."
    })
final class ResetCommand implements Callable<Integer> {
  /** What to do with the plan. Single-writer. */
  static final class Mode {
    @Option(
        names = "--apply",
        description = "Applies the plan without asking. Needed where there is no terminal.")
    private boolean apply;

    @Option(names = "--dry-run", description = "Shows the plan, and asks nothing.")
    private boolean dryRun;

    @Option(
        names = "--export",
        description = "Prints the plan in the form of --from-file, and nothing else.")
    private boolean export;
  }

  @Mixin private ServerOptions server = new ServerOptions();
  @Mixin private OutputOptions output = new OutputOptions();
  @Mixin private TimeOptions times = new TimeOptions();
  @Mixin private IsolationOption isolation = new IsolationOption();
  @Mixin private WriterOption writer = new WriterOption();
  @Mixin private FallbackOptions fallbacks = new FallbackOptions();

  @Parameters(
      arity = "0..1",
      paramLabel = "GROUP",
      description = "The group. May be left out with a file that names groups.")
  private String group = "";

  @Option(
      names = "--topic",
      paramLabel = "TOPIC[:LIST]",
      description =
          "A topic, or some of it such as orders:0-3,7. May be given several times. Default: all"
              + " partitions that the group has committed offsets of.")
  private List<String> topics = List.of();

  @ArgGroup(exclusive = true, multiplicity = "1")
  private ResetTargetChoice target = new ResetTargetChoice();

  @ArgGroup(exclusive = true, multiplicity = "0..1")
  private Mode mode = new Mode();

  @Override
  public Integer call() {
    if (mode.export && output.json()) {
      throw new BadInputException("--export", "--export and --format json exclude each other");
    }
    fallbacks.check();
    PlanTable table = new PlanTable(output, times.display());
    List<PlanResetRequest> requests = requests();
    try (Client client = server.connect()) {
      List<PlanResetResponse> plans = new ArrayList<>();
      for (PlanResetRequest request : requests) {
        plans.add(client.groups(groups -> groups.planReset(request)));
      }
      fallbacks.requirePlanned(plans);
      boolean ready = show(plans, table);
      if (!ready) {
        return ExitCode.SOME_FAILED;
      }
      if (plans.stream().allMatch(plan -> plan.getPartitionsCount() == 0)) {
        output.err().println("whence: no partition to reset; name some with --topic");
        return ExitCode.NOTHING_FOUND;
      }
      if (mode.export) {
        export(plans);
      } else if (isWanted(plans)) {
        apply(client, plans, table);
      }
      return ExitCode.ANSWERED;
    }
  }

  private List<PlanResetRequest> requests() {
    PlanResetRequest base =
        PlanResetRequest.newBuilder()
            .setSource(server.source())
            .setGroup(group)
            .addAllTopics(TopicScope.parseAll("--topic", topics))
            .setIsolationLevel(isolation.level())
            .setAllowUnusualTime(times.allowUnusualTime())
            .build();
    Optional<String> file = target.file();
    if (file.isPresent()) {
      if (!topics.isEmpty()) {
        throw new BadInputException("--topic", "--topic has no place beside --from-file");
      }
      return new ResetRequests(base).of(ResetRequests.read(file.get()), file.get(), group);
    }
    if (group.isEmpty()) {
      throw new BadInputException("GROUP", "name the group to reset");
    }
    return List.of(base.toBuilder().setTarget(target.target(times)).build());
  }

  /** Shows the plans as far as the mode wants it; returns whether all could be planned. */
  private boolean show(List<PlanResetResponse> plans, PlanTable table) {
    Tally tally = new Tally();
    plans.forEach(plan -> PlanTable.count(plan, tally));
    if (output.json()) {
      if (!mode.apply || tally.hasFailures()) {
        documents(plans);
      }
      return !tally.hasFailures();
    }
    if (!mode.export) {
      if (!target.note().isEmpty()) {
        output.line("  " + target.note());
      }
      plans.forEach(plan -> table.print(plan, target.words()));
      output.out().flush();
    }
    if (tally.hasFailures()) {
      tally.printFailures(output.err());
      output.err().println("whence: nothing was changed: such a plan can't be applied");
    }
    return !tally.hasFailures();
  }

  private boolean isWanted(List<PlanResetResponse> plans) {
    if (mode.apply) {
      requireDecisions(plans);
      return true;
    }
    if (mode.dryRun || output.json()) {
      return false;
    }
    if (!Consent.canAsk()) {
      throw new BadInputException(
          "--apply",
          "nothing was done: add --apply, as there is no terminal to ask at, or --dry-run");
    }
    plans.forEach(plan -> fallbacks.ask(plan, output));
    String effect =
        plans.stream()
            .map(this::effect)
            .filter(text -> !text.isEmpty())
            .collect(Collectors.joining("; "));
    if (effect.isEmpty()) {
      output.line("nothing to change");
      return false;
    }
    if (!Consent.isGranted("this moves " + effect + ". Go on?", output)) {
      throw new BadInputException("--apply", "nothing was done");
    }
    return true;
  }

  private String effect(PlanResetResponse plan) {
    long moved = plan.getPartitionsList().stream().filter(r -> fallbacks.commits(plan, r)).count();
    return moved == 0
        ? ""
        : TopicWords.count(moved, "partition") + " of group '" + plan.getGroup() + "'";
  }

  private void requireDecisions(List<PlanResetResponse> plans) {
    List<String> undecided = new ArrayList<>();
    for (PlanResetResponse plan : plans) {
      for (PlannedReset reset : fallbacks.undecided(plan)) {
        undecided.add(reset.getTopic() + ":" + reset.getPartition());
      }
    }
    if (!undecided.isEmpty()) {
      throw new BadInputException(
          "--accept-fallbacks",
          TopicWords.count(undecided.size(), "fall-back")
              + " without a yes ("
              + DisplayText.cut(String.join(", ", undecided), 200)
              + "); nothing was done: add --accept-fallbacks, --accept-fallback TOPIC:PARTITION or"
              + " --leave-out-fallbacks");
    }
  }

  private void export(List<PlanResetResponse> plans) {
    requireDecisions(plans);
    List<Row> rows = new ArrayList<>();
    for (PlanResetResponse plan : plans) {
      for (PlannedReset reset : plan.getPartitionsList()) {
        if (fallbacks.commits(plan, reset)
            || reset.getOutcome() == PlanOutcome.PLAN_OUTCOME_UNCHANGED) {
          rows.add(
              new Row(
                  plan.getGroup(),
                  reset.getTopic(),
                  reset.getPartition(),
                  reset.getPlannedOffset()));
        }
      }
    }
    new OffsetsCsv(true, rows).print(output, plans.size() > 1);
  }

  private void apply(Client client, List<PlanResetResponse> plans, PlanTable table) {
    PlanApplication application =
        new PlanApplication(client, span -> Thread.sleep(span.toMillis()));
    List<ApplyResetResponse> applied = new ArrayList<>();
    for (PlanResetResponse plan : plans) {
      ApplyResetRequest.Builder request =
          ApplyResetRequest.newBuilder()
              .setSource(server.source())
              .setPlanId(plan.getPlanId())
              .setWriter(writer.name());
      fallbacks.decide(plan, request);
      try {
        applied.add(application.apply(plan.getGroup(), request.build()));
      } catch (CallFailedException | OutcomeUnknownException e) {
        applied.forEach(
            done ->
                output
                    .err()
                    .println(
                        "whence: group "
                            + DisplayText.printable(done.getGroup())
                            + " was reset before this failure"));
        throw e;
      }
      if (!output.json()) {
        table.print(applied.get(applied.size() - 1));
      }
    }
    if (output.json()) {
      documents(applied);
    }
  }

  /** Prints one document: a response, or with several groups a list of them. */
  private void documents(List<? extends Message> responses) {
    if (responses.size() == 1) {
      output.document(responses.get(0));
      return;
    }
    output.line(
        responses.stream()
            .map(OutputOptions::json)
            .collect(Collectors.joining(",\n", "{\"results\": [\n", "\n]}")));
  }
}
