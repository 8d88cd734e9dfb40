package io.whence.cli;

import io.whence.cli.OffsetsCsv.Row;
import io.whence.v1.PartitionOffset;
import io.whence.v1.PlanResetRequest;
import io.whence.v1.ResetTarget;
import io.whence.v1.ResetToOffsets;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Makes one request for a plan from each group of a file. Immutable.
 *
 * @param base what all requests share
 */
record ResetRequests(PlanResetRequest base) {

  /**
   * Reads a file of offsets.
   *
   * @throws BadInputException if there is none, or it is none
   */
  static OffsetsCsv read(String file) {
    try {
      return OffsetsCsv.parse(file, Files.readAllLines(Path.of(file)));
    } catch (NoSuchFileException e) {
      throw new BadInputException("--from-file", "there is no file " + file);
    } catch (CharacterCodingException e) {
      throw new BadInputException("--from-file", file + " is not UTF-8 text");
    } catch (InvalidPathException | IOException e) {
      throw new BadInputException("--from-file", file + " can't be read: " + e.getMessage());
    }
  }

  /** Makes one request for each group, in the order of the file; for one group only, if named. */
  List<PlanResetRequest> of(OffsetsCsv csv, String file, String group) {
    if (!csv.hasGroups() && group.isEmpty()) {
      throw new BadInputException(
          "GROUP", file + " names no groups (topic,partition,offset): name the group to reset");
    }
    Map<String, ResetToOffsets.Builder> groups = new LinkedHashMap<>();
    for (Row row : csv.rows()) {
      String name = csv.hasGroups() ? row.group() : group;
      if (group.isEmpty() || name.equals(group)) {
        groups
            .computeIfAbsent(name, any -> ResetToOffsets.newBuilder())
            .addOffsets(
                PartitionOffset.newBuilder()
                    .setTopic(row.topic())
                    .setPartition(row.partition())
                    .setOffset(row.offset()));
      }
    }
    if (groups.isEmpty()) {
      throw new BadInputException("GROUP", file + " has no offset of group '" + group + "'");
    }
    List<PlanResetRequest> requests = new ArrayList<>();
    groups.forEach(
        (name, offsets) ->
            requests.add(
                base.toBuilder()
                    .setGroup(name)
                    .setTarget(ResetTarget.newBuilder().setOffsets(offsets))
                    .build()));
    return List.copyOf(requests);
  }
}
