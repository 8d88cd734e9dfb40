package io.whence.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import io.whence.model.IsolationLevel;
import io.whence.model.TopicPartition;
import io.whence.testkit.Fixture.Answer;
import io.whence.testkit.Fixture.Checkpoints;
import io.whence.testkit.Fixture.Partition;
import io.whence.testkit.Fixture.Query;
import io.whence.testkit.Fixture.Sentinels;
import io.whence.testkit.Fixture.Stamp;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reads {@code expected.json}. Thread safety: immutable. */
final class FixtureParser {
  private FixtureParser() {}

  static Fixture fixture(JsonNode json) {
    return new Fixture(
        json.required("fixture").asText(),
        json.required("shutdown").asText().equals("clean"),
        json.required("expected_state").asText().equals("after recovery"),
        list(json.required("partitions"), FixtureParser::partition));
  }

  private static Partition partition(JsonNode json) {
    return new Partition(
        new TopicPartition(json.required("topic").asText(), json.required("partition").asInt()),
        json.required("log_start_offset").asLong(),
        json.required("log_end_offset").asLong(),
        json.required("high_watermark").asLong(),
        json.required("last_stable_offset").asLong(),
        checkpoints(json.required("checkpoints")),
        list(json.required("segments"), JsonNode::asLong),
        sentinels(json.required("sentinels")),
        list(json.required("queries"), FixtureParser::query));
  }

  private static Checkpoints checkpoints(JsonNode json) {
    return new Checkpoints(
        number(json.path("log_start_offset")),
        number(json.path("high_watermark")),
        number(json.path("recovery_point")));
  }

  private static @Nullable Long number(JsonNode json) {
    return json.isNumber() ? json.asLong() : null;
  }

  private static Sentinels sentinels(JsonNode json) {
    Map<String, Map<IsolationLevel, Stamp>> kafka = new TreeMap<>();
    json.required("kafka")
        .properties()
        .forEach(e -> kafka.put(e.getKey(), byIsolation(e.getValue(), FixtureParser::stamp)));
    return new Sentinels(
        byIsolation(json.required("brute_force_max_timestamp"), FixtureParser::stamp), kafka);
  }

  private static Query query(JsonNode json) {
    return new Query(
        json.required("timestamp").asLong(),
        json.required("why").asText(),
        byIsolation(json, a -> answer(a, a)),
        byIsolation(json, a -> answer(a, a.path("ignoring_negative_timestamps"))),
        byIsolation(json.required("kafka_list_offsets"), FixtureParser::stamp),
        byIsolation(json.path("kafka_differs"), JsonNode::asText));
  }

  /** Reads an answer; the preferred node overrides where it says something. */
  private static Answer answer(JsonNode json, JsonNode preferred) {
    JsonNode from = preferred.isObject() ? preferred : json;
    return new Answer(
        // A timestamp at or after a target that is not negative never is.
        stamp(json.required("first_at_or_after")),
        stamp(from.required("last_at_or_before")),
        stamp(from.required("last_before")),
        from.required("suffix_safe_offset").asLong());
  }

  private static @Nullable Stamp stamp(JsonNode json) {
    return json.has("offset")
        ? new Stamp(
            json.required("offset").asLong(),
            json.required("timestamp").asLong(),
            json.required("epoch").asInt())
        : null;
  }

  private static <T> Map<IsolationLevel, T> byIsolation(
      JsonNode json, Function<JsonNode, @Nullable T> read) {
    Map<IsolationLevel, T> values = new EnumMap<>(IsolationLevel.class);
    for (IsolationLevel isolation : IsolationLevel.values()) {
      JsonNode node = json.path(isolation.name().toLowerCase(Locale.ROOT));
      T value = node.isMissingNode() || node.isNull() ? null : read.apply(node);
      if (value != null) {
        values.put(isolation, value);
      }
    }
    return values;
  }

  private static <T> List<T> list(JsonNode json, Function<JsonNode, T> read) {
    List<T> values = new ArrayList<>();
    json.forEach(node -> values.add(read.apply(node)));
    return values;
  }
}
