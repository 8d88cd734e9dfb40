package io.whence.example;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/** Where two JSON values differ. Holds no state. */
final class Differences {
  private static final JsonPrimitive ANY = new JsonPrimitive("$any");

  private Differences() {}

  /** Tells where a JSON value differs. "$any" stands for any value that is there. */
  static List<String> between(String path, JsonElement wanted, JsonElement got) {
    if (wanted.equals(ANY)) {
      return List.of();
    }
    if (wanted instanceof JsonObject a && got instanceof JsonObject b) {
      return ofObjects(path, a, b);
    }
    if (wanted instanceof JsonArray a && got instanceof JsonArray b && a.size() == b.size()) {
      List<String> lines = new ArrayList<>();
      for (int i = 0; i < a.size(); i++) {
        lines.addAll(between(path + "[" + i + "]", a.get(i), b.get(i)));
      }
      return lines;
    }
    return wanted.equals(got)
        ? List.of()
        : List.of("%s is %s instead of %s".formatted(path, got, wanted));
  }

  private static List<String> ofObjects(String path, JsonObject wanted, JsonObject got) {
    List<String> lines = new ArrayList<>();
    var keys = new TreeSet<>(wanted.keySet());
    keys.addAll(got.keySet());
    for (String key : keys) {
      if (!got.has(key)) {
        lines.add("%s.%s is missing".formatted(path, key));
      } else if (!wanted.has(key)) {
        lines.add("%s.%s should not be there: %s".formatted(path, key, got.get(key)));
      } else {
        lines.addAll(between(path + "." + key, wanted.get(key), got.get(key)));
      }
    }
    return lines;
  }
}
