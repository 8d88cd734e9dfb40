package io.whence.bench;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The memory of a server. Thread safety: immutable.
 *
 * @param heapBytes what is left of the heap after a full collection
 * @param residentBytes what the kernel counts
 */
public record ServerMemory(long heapBytes, long residentBytes) {
  private static final Pattern HEAP =
      Pattern.compile("(?m)^jvm_memory_used_bytes\\{area=\"heap\"[^}]*} (\\S+)$");
  private static final int COLLECT_LIMIT_SECONDS = 60;

  /** Collects garbage, and measures. */
  public static ServerMemory afterCollection(WhenceServer server)
      throws IOException, InterruptedException {
    collect(server.pid());
    return new ServerMemory(
        heapBytes(server.httpPort()), ProcessFigures.of(server.pid()).residentBytes());
  }

  private static void collect(long pid) throws IOException, InterruptedException {
    Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
    Process process =
        new ProcessBuilder(jcmd.toString(), String.valueOf(pid), "GC.run")
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    if (!process.waitFor(COLLECT_LIMIT_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
      process.destroyForcibly();
      throw new IOException("jcmd " + pid + " GC.run failed");
    }
  }

  private static long heapBytes(int port) throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/q/metrics"))
            .timeout(Duration.ofSeconds(30))
            .build();
    String metrics =
        HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).body();
    Matcher matcher = HEAP.matcher(metrics);
    double sum = 0;
    while (matcher.find()) {
      sum += Double.parseDouble(matcher.group(1));
    }
    if (sum == 0) {
      throw new IOException("no heap in the metrics");
    }
    return (long) sum;
  }
}
