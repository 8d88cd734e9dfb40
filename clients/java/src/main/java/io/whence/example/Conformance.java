package io.whence.example;

import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.util.JsonFormat;
import io.grpc.CallOptions;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.PrototypeMarshaller;
import io.grpc.ServiceDescriptor;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.BlockingClientCall;
import io.grpc.stub.ClientCalls;
import io.whence.v1.GroupOffsetsServiceGrpc;
import io.whence.v1.LogServiceGrpc;
import io.whence.v1.ResolverServiceGrpc;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Runs conformance cases: JSON to messages, through gRPC, and back. ../conformance/README.md has
 * the format. Used by one thread.
 */
final class Conformance {
  private static final Gson GSON = new Gson();
  private static final Map<String, MethodDescriptor<?, ?>> METHODS =
      Stream.of(
              ResolverServiceGrpc.getServiceDescriptor(),
              LogServiceGrpc.getServiceDescriptor(),
              GroupOffsetsServiceGrpc.getServiceDescriptor())
          .map(ServiceDescriptor::getMethods)
          .flatMap(Collection::stream)
          .collect(Collectors.toMap(Conformance::shortName, Function.identity()));

  private final Jobs jobs;
  private final String run = "java-" + UUID.randomUUID();
  private int passed;
  private int total;

  Conformance(Jobs jobs) {
    this.jobs = jobs;
  }

  private static String shortName(MethodDescriptor<?, ?> method) {
    return method.getFullMethodName().substring("whence.v1.".length());
  }

  /** Runs the files, and those in directories. Returns whether all cases passed. */
  boolean run(List<String> paths) throws IOException, InterruptedException {
    for (String path : paths) {
      for (Path file : files(Path.of(path))) {
        String text = Files.readString(file).replace("$RUN", run);
        for (JsonElement element : parse(text).getAsJsonArray("cases")) {
          run(file, element.getAsJsonObject());
        }
      }
    }
    jobs.out().printf("%d of %d cases passed%n", passed, total);
    return passed == total;
  }

  private static List<Path> files(Path path) throws IOException {
    if (!Files.isDirectory(path)) {
      return List.of(path);
    }
    try (Stream<Path> inside = Files.list(path)) {
      return inside.filter(file -> file.toString().endsWith(".json")).sorted().toList();
    }
  }

  private void run(Path file, JsonObject test) throws IOException, InterruptedException {
    List<String> lines = new ArrayList<>();
    for (JsonElement step : test.getAsJsonArray("steps")) {
      lines.addAll(check(step.getAsJsonObject()));
    }
    total++;
    passed += lines.isEmpty() ? 1 : 0;
    String name = test.get("name").getAsString();
    lines.forEach(line -> jobs.out().printf("%s: %s: %s%n", file.getFileName(), name, line));
  }

  private List<String> check(JsonObject step) throws IOException, InterruptedException {
    String rpc = step.get("rpc").getAsString();
    JsonArray got = new JsonArray();
    JsonObject failure = new JsonObject();
    try {
      call(rpc, step, got);
    } catch (StatusRuntimeException e) {
      failure = toJson(Failure.of(e));
    }
    JsonArray wanted = new JsonArray();
    if (step.has("response")) {
      wanted.add(step.get("response"));
    } else if (step.has("responses")) {
      wanted = step.getAsJsonArray("responses");
    }
    JsonObject wantedFailure = new JsonObject();
    for (String key : List.of("status", "reason", "metadata")) {
      if (step.has(key)) {
        wantedFailure.add(key, step.get(key));
      }
    }
    if (step.has("status") && !step.has("reason")) { // Either side may have ended the call.
      failure.remove("reason");
      failure.remove("metadata");
    }
    List<String> lines = new ArrayList<>(Differences.between(rpc, wanted, got));
    lines.addAll(Differences.between(rpc, wantedFailure, failure));
    return lines;
  }

  private static JsonObject toJson(Failure failure) {
    JsonObject json = new JsonObject();
    json.add("status", new JsonPrimitive(failure.status()));
    if (!failure.reason().isEmpty()) {
      json.add("reason", new JsonPrimitive(failure.reason()));
      json.add("metadata", GSON.toJsonTree(failure.metadata()));
    }
    return json;
  }

  @SuppressWarnings("unchecked") // All methods of Whence are of messages.
  private void call(String rpc, JsonObject step, JsonArray got)
      throws IOException, InterruptedException {
    var method = (MethodDescriptor<Message, Message>) METHODS.get(rpc);
    if (method == null) {
      throw new IOException(rpc + " is not known to this client");
    }
    List<Message> requests = new ArrayList<>();
    if (step.has("requests")) {
      for (JsonElement request : step.getAsJsonArray("requests")) {
        requests.add(toMessage(method, request));
      }
    } else {
      requests.add(toMessage(method, step.get("request")));
    }
    long limitMs = step.has("deadline_ms") ? step.get("deadline_ms").getAsLong() : 10_000;
    call(
        method,
        CallOptions.DEFAULT.withDeadlineAfter(limitMs, TimeUnit.MILLISECONDS),
        requests,
        got);
  }

  private void call(
      MethodDescriptor<Message, Message> method,
      CallOptions options,
      List<Message> requests,
      JsonArray got)
      throws IOException, InterruptedException {
    switch (method.getType()) {
      case UNARY ->
          got.add(
              toJson(
                  ClientCalls.blockingUnaryCall(jobs.channel(), method, options, requests.get(0))));
      case SERVER_STREAMING -> {
        var answers =
            ClientCalls.blockingServerStreamingCall(
                jobs.channel(), method, options, requests.get(0));
        while (answers.hasNext()) {
          got.add(toJson(answers.next()));
        }
      }
      default -> stream(method, options, requests, got);
    }
  }

  private void stream(
      MethodDescriptor<Message, Message> method,
      CallOptions options,
      List<Message> requests,
      JsonArray got)
      throws IOException, InterruptedException {
    BlockingClientCall<Message, Message> call =
        ClientCalls.blockingBidiStreamingCall(jobs.channel(), method, options);
    try {
      for (Message request : requests) {
        call.write(request);
      }
      call.halfClose();
      for (Message answer = call.read(); answer != null; answer = call.read()) {
        got.add(toJson(answer));
      }
    } catch (io.grpc.StatusException e) {
      throw e.getStatus().asRuntimeException(e.getTrailers());
    }
  }

  private static Message toMessage(MethodDescriptor<Message, Message> method, JsonElement json)
      throws InvalidProtocolBufferException {
    var marshaller = (PrototypeMarshaller<Message>) method.getRequestMarshaller();
    Message.Builder builder = marshaller.getMessagePrototype().newBuilderForType();
    JsonFormat.parser().merge(json.toString(), builder);
    return builder.build();
  }

  private static JsonObject toJson(Message message) throws InvalidProtocolBufferException {
    return parse(JsonFormat.printer().print(message));
  }

  private static JsonObject parse(String text) {
    return JsonParser.parseString(text).getAsJsonObject();
  }
}
