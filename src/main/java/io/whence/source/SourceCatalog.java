package io.whence.source;

import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The sources of a server, by name. Thread safety: immutable. */
public final class SourceCatalog {
  private final Map<String, LogSource> byName = new TreeMap<>();

  /** Makes a catalog. Names must differ. */
  public SourceCatalog(List<LogSource> sources) {
    for (LogSource source : sources) {
      if (byName.put(source.name(), source) != null) {
        throw new IllegalArgumentException("two sources are named '" + source.name() + "'");
      }
    }
  }

  /** Returns all sources, by name. */
  public List<LogSource> all() {
    return List.copyOf(byName.values());
  }

  /** Returns the source of this name; the only one if the name is empty. */
  public LogSource source(String name) {
    if (name.isEmpty() && byName.size() == 1) {
      return byName.values().iterator().next();
    }
    LogSource source = byName.get(name);
    if (source == null) {
      String message =
          name.isEmpty()
              ? "source: not given, and there are several; name one of " + byName.keySet()
              : "source: no source is named '" + name + "'; there are " + byName.keySet();
      throw WhenceException.of(ErrorReason.UNKNOWN_SOURCE, message, "source", name);
    }
    return source;
  }

  /** Returns the source of this name if it can be written to. */
  public WritableLogSource writable(String name) {
    LogSource source = source(name);
    if (source instanceof WritableLogSource writable) {
      return writable;
    }
    throw WhenceException.of(
        ErrorReason.READ_ONLY_SOURCE,
        "source: '" + source.name() + "' is read-only; write to an embedded source",
        "source",
        source.name());
  }
}
