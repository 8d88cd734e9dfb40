package io.whence.commit;

/**
 * Is told what happens to the offsets of groups. Thread safety: implementations are thread-safe.
 */
public interface GroupEvents {
  /** Tells nobody. */
  GroupEvents NOOP = new GroupEvents() {};

  /**
   * Offsets of a group were removed because nobody committed them again in time.
   *
   * @param offsetCount how many, above 0
   */
  default void expired(String group, int offsetCount) {}

  /**
   * Commits that newer ones replaced were removed from disk.
   *
   * @param recordCount how many records, above 0
   */
  default void compacted(int partition, long recordCount) {}

  /** Something that the operator should know, such as a record that could not be read. */
  default void warned(String warning) {}
}
