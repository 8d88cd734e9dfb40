package io.whence.grpc;

import org.jspecify.annotations.Nullable;

/**
 * Where in a request a value stands, such as {@code queries[3].position}. Spelled out only when an
 * error names it, so that good requests pay for no strings. Thread safety: immutable.
 *
 * @param parent the message that has the field; null at the top
 * @param name the name of the field
 * @param index the index in a repeated field; negative for a single one
 */
record FieldPath(@Nullable FieldPath parent, String name, int index) {

  /** Returns the path of a field of the request itself. */
  static FieldPath of(String name) {
    return new FieldPath(null, name, -1);
  }

  /** Returns the path of an element of a repeated field of the request itself. */
  static FieldPath of(String name, int index) {
    return new FieldPath(null, name, index);
  }

  /** Returns the path of a field of the message at this path. */
  FieldPath child(String field) {
    return new FieldPath(this, field, -1);
  }

  /** Returns the path of an element of a repeated field of the message at this path. */
  FieldPath child(String field, int at) {
    return new FieldPath(this, field, at);
  }

  @Override
  public String toString() {
    String own = index < 0 ? name : name + "[" + index + "]";
    return parent == null ? own : parent + "." + own;
  }
}
