package io.whence.grpc;

import io.whence.commit.CommittedOffset;
import io.whence.commit.Group;
import io.whence.commit.GroupOffsets;
import io.whence.source.LogSource;
import io.whence.v1.GroupKind;
import io.whence.v1.GroupSummary;
import io.whence.v1.ListGroupsRequest;
import io.whence.v1.ListGroupsResponse;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/** Lists groups, page by page. */
final class GroupListing {
  private static final int DEFAULT_PAGE_SIZE = 1000;
  private static final int MAX_PAGE_SIZE = 10_000;
  private static final int SHOWN_TOPICS = 100;
  private static final Comparator<Group> BY_NAME = Comparator.comparing(Group::name);

  private GroupListing() {}

  static ListGroupsResponse list(ListGroupsRequest request, CallScope scope) {
    int size = request.hasPageSize() ? request.getPageSize() : DEFAULT_PAGE_SIZE;
    QueryChecks.requireBetween1And(MAX_PAGE_SIZE, size, FieldPath.of("page_size"));
    PageToken after =
        request.getPageToken().isEmpty()
            ? null
            : PageToken.parse(
                request.getPageToken(), request.getPrefix(), FieldPath.of("page_token"));
    LogSource source = scope.source(request.getSource());
    GroupOffsets groups = scope.groupOffsets(source);
    List<Group> page = page(groups.groups(), request.getPrefix(), after, size + 1);
    ListGroupsResponse.Builder response = ListGroupsResponse.newBuilder().setSource(source.name());
    for (int i = 0; i < Math.min(size, page.size()); i++) {
      scope.cancellation().check();
      response.addGroups(summary(page.get(i), groups));
    }
    if (page.size() > size) {
      response.setNextPageToken(new PageToken(page.get(size - 1).name()).text());
    }
    return response.build();
  }

  /** Returns the first groups by name, without sorting those that are on later pages. */
  private static List<Group> page(
      Collection<Group> groups, String prefix, @Nullable PageToken after, int size) {
    PriorityQueue<Group> first = new PriorityQueue<>(BY_NAME.reversed());
    for (Group group : groups) {
      if (group.name().startsWith(prefix)
          && (after == null || group.name().compareTo(after.lastName()) > 0)) {
        first.add(group);
        if (first.size() > size) {
          first.remove();
        }
      }
    }
    List<Group> page = new ArrayList<>(first);
    page.sort(BY_NAME);
    return page;
  }

  private static GroupSummary summary(Group group, GroupOffsets groups) {
    List<String> topics = group.topics();
    GroupSummary.Builder summary =
        GroupSummary.newBuilder()
            .setGroup(group.name())
            .setKind(kind(group))
            .setOffsetCount(group.offsetCount())
            .addAllTopics(topics.subList(0, Math.min(SHOWN_TOPICS, topics.size())));
    group.forEach((topic, partition, offset) -> addTimes(summary, group, offset, groups));
    return summary.build();
  }

  private static void addTimes(
      GroupSummary.Builder summary, Group group, CommittedOffset offset, GroupOffsets groups) {
    boolean known = offset.commitTimeMs() >= 0;
    if (known
        && (!summary.hasLastCommitTimeMs()
            || offset.commitTimeMs() > summary.getLastCommitTimeMs())) {
      summary.setLastCommitTimeMs(offset.commitTimeMs());
    }
    groups
        .expiresAtMs(group, offset)
        .ifPresent(
            expiresAtMs -> {
              if (!summary.hasFirstExpiresAtMs() || expiresAtMs < summary.getFirstExpiresAtMs()) {
                summary.setFirstExpiresAtMs(expiresAtMs);
              }
            });
  }

  private static GroupKind kind(Group group) {
    return switch (group.state().kind()) {
      case SIMPLE -> GroupKind.GROUP_KIND_SIMPLE;
      case CLASSIC -> GroupKind.GROUP_KIND_CLASSIC;
      case CONSUMER -> GroupKind.GROUP_KIND_CONSUMER;
    };
  }
}
