package io.whence.cli;

import io.whence.v1.ApplyResetRequest;
import io.whence.v1.FallbackChoice;
import io.whence.v1.PlanOutcome;
import io.whence.v1.PlanResetResponse;
import io.whence.v1.PlannedReset;
import io.whence.v1.TopicPartitions;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;

/**
 * What to do with the fall-backs of plans: none is committed without an explicit yes.
 * Single-writer.
 */
final class FallbackOptions {
  /** What to do with those that are not named. Single-writer. */
  static final class Rest {
    @Option(
        names = "--accept-fallbacks",
        description = "Says yes to all fall-backs: partitions where the target leads nowhere.")
    private boolean accept;

    @Option(
        names = "--leave-out-fallbacks",
        description = "Leaves partitions alone whose fall-back has no yes.")
    private boolean leaveOut;
  }

  @ArgGroup(exclusive = true, multiplicity = "0..1")
  private Rest rest = new Rest();

  @Option(
      names = "--accept-fallback",
      paramLabel = "TOPIC[:LIST]",
      description = "Says yes to these fall-backs. May be given several times.")
  private List<String> accepted = List.of();

  /** The fall-backs that got a yes or no at the terminal, by plan. */
  private final Map<String, Map<PlannedReset, Boolean>> answers = new HashMap<>();

  /** Reads the names; refuses them before anything is asked. */
  void check() {
    TopicScope.parseAll("--accept-fallback", accepted);
  }

  /**
   * Refuses a yes to what no plan has: the name is more likely wrong than meant.
   *
   * @param plans all plans of the command
   */
  void requirePlanned(List<PlanResetResponse> plans) {
    for (TopicPartitions scope : TopicScope.parseAll("--accept-fallback", accepted)) {
      Set<Integer> planned = new HashSet<>();
      plans.stream()
          .flatMap(plan -> plan.getPartitionsList().stream())
          .filter(reset -> reset.getTopic().equals(scope.getTopic()))
          .forEach(reset -> planned.add(reset.getPartition()));
      if (planned.isEmpty()) {
        throw notPlanned("topic '" + scope.getTopic() + "'");
      }
      for (int partition : scope.getPartitionsList()) {
        if (!planned.contains(partition)) {
          throw notPlanned("partition " + partition + " of topic '" + scope.getTopic() + "'");
        }
      }
    }
  }

  private static BadInputException notPlanned(String what) {
    return new BadInputException(
        "--accept-fallback", "--accept-fallback: the plan has no " + what + "; nothing was done");
  }

  /** Returns the fall-backs of a plan that nothing was decided about. */
  List<PlannedReset> undecided(PlanResetResponse plan) {
    return fallbacks(plan).stream()
        .filter(reset -> !rest.accept && !rest.leaveOut && !isAccepted(plan, reset))
        .filter(reset -> !answersOf(plan).containsKey(reset))
        .toList();
  }

  /** Asks about each fall-back that nothing was decided about. */
  void ask(PlanResetResponse plan, OutputOptions output) {
    for (PlannedReset reset : undecided(plan)) {
      boolean yes =
          Consent.isGranted(
              "group '"
                  + plan.getGroup()
                  + "', "
                  + reset.getTopic()
                  + " partition "
                  + reset.getPartition()
                  + ": "
                  + reset.getReason()
                  + ". Go to "
                  + reset.getPlannedOffset()
                  + "?",
              output);
      answers.computeIfAbsent(plan.getPlanId(), id -> new HashMap<>()).put(reset, yes);
    }
  }

  /** Returns whether a partition of a plan would be committed. */
  boolean commits(PlanResetResponse plan, PlannedReset reset) {
    return switch (reset.getOutcome()) {
      case PLAN_OUTCOME_MOVE -> true;
      case PLAN_OUTCOME_FALLBACK -> rest.accept || isAccepted(plan, reset);
      default -> false;
    };
  }

  /** Puts what was decided on a request. */
  void decide(PlanResetResponse plan, ApplyResetRequest.Builder request) {
    if (rest.accept) {
      request.setFallbacks(FallbackChoice.FALLBACK_CHOICE_ACCEPT);
      return;
    }
    if (rest.leaveOut || answersOf(plan).containsValue(false)) {
      request.setFallbacks(FallbackChoice.FALLBACK_CHOICE_LEAVE_OUT);
    }
    Map<String, TopicPartitions.Builder> topics = new TreeMap<>();
    for (PlannedReset reset : fallbacks(plan)) {
      if (isAccepted(plan, reset)) {
        topics
            .computeIfAbsent(reset.getTopic(), t -> TopicPartitions.newBuilder().setTopic(t))
            .addPartitions(reset.getPartition());
      }
    }
    topics.values().forEach(request::addAcceptedFallbacks);
  }

  private boolean isAccepted(PlanResetResponse plan, PlannedReset reset) {
    return answersOf(plan).getOrDefault(reset, false)
        || TopicScope.parseAll("--accept-fallback", accepted).stream()
            .anyMatch(
                scope ->
                    scope.getTopic().equals(reset.getTopic())
                        && (scope.getPartitionsCount() == 0
                            || scope.getPartitionsList().contains(reset.getPartition())));
  }

  private Map<PlannedReset, Boolean> answersOf(PlanResetResponse plan) {
    return answers.getOrDefault(plan.getPlanId(), Map.of());
  }

  private static List<PlannedReset> fallbacks(PlanResetResponse plan) {
    return plan.getPartitionsList().stream()
        .filter(reset -> reset.getOutcome() == PlanOutcome.PLAN_OUTCOME_FALLBACK)
        .toList();
  }
}
