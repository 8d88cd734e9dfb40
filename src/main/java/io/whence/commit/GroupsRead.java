package io.whence.commit;

import io.whence.model.WhenceException;
import java.util.Collection;
import java.util.List;

/**
 * Groups that were read at once. Thread safety: immutable.
 *
 * @param groups those that could be read, each as it was at some moment
 * @param failures why others could not be: one for each group, or for each broker that knows some
 */
public record GroupsRead(Collection<Group> groups, List<WhenceException> failures) {
  /** Copies the lists. */
  public GroupsRead {
    groups = List.copyOf(groups);
    failures = List.copyOf(failures);
  }
}
