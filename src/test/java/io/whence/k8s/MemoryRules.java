package io.whence.k8s;

import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.quarkus.runtime.configuration.MemorySizeConverter;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Java takes what the pod has, and no more. Thread safety: immutable. */
final class MemoryRules {
  private static final long MIB = 1 << 20;

  /** Classes, code, threads and the garbage collector's own. */
  private static final long OF_JAVA = 300 * MIB;

  private MemoryRules() {}

  static void check(Rendered rendered, Problems problems) {
    ResourceRequirements resources = rendered.container().getResources();
    Quantity limit = resources.getLimits().get("memory");
    problems.unless(
        limit != null && limit.equals(resources.getRequests().get("memory")),
        "resources: memory that isn't requested may be taken away");
    problems.unless(
        !resources.getLimits().containsKey("cpu"), "resources: a limit of processors throttles");
    if (limit == null) {
      return;
    }
    String options = rendered.variable("JDK_JAVA_OPTIONS");
    long memory = Quantity.getAmountInBytes(limit).longValueExact();
    long heap = memory * Long.parseLong(option(options, "-XX:MaxRAMPercentage=(\\d+)")) / 100;
    String direct = option(options, "-XX:MaxDirectMemorySize=(\\d+[kmgKMG]?)");
    long java = heap + new MemorySizeConverter().convert(direct).asLongValue() + OF_JAVA;
    problems.unless(
        java <= memory * 9 / 10,
        "resources: of %s MiB Java may take %s, which leaves too little for the page cache",
        memory / MIB,
        java / MIB);
    String processors = resources.getRequests().get("cpu").getAmount();
    problems.unless(
        processors.equals(option(options, "-XX:ActiveProcessorCount=(\\d+)")),
        "resources: %s processors, but Java counts others",
        processors);
  }

  /** Returns the options of the container as words. */
  static List<String> options(Rendered rendered) {
    return List.of(rendered.variable("JDK_JAVA_OPTIONS").trim().split("\\s+", -1));
  }

  private static String option(String options, String pattern) {
    Matcher matcher = Pattern.compile(pattern + "(?: |$)").matcher(options);
    return matcher.find() ? matcher.group(1) : "0";
  }
}
