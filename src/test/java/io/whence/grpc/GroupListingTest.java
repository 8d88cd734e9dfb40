package io.whence.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.whence.commit.Group;
import io.whence.v1.GroupSummary;
import io.whence.v1.ListGroupsRequest;
import io.whence.v1.ListGroupsResponse;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GroupListingTest {
  private static final int GROUPS = 100_000;

  @Test
  void pages_giveEachOfManyGroupsOnceByName() {
    ScriptedGroups groups = groups(GROUPS);
    List<String> listed = new ArrayList<>();
    String token = "";
    do {
      ListGroupsResponse page =
          list(
              groups,
              ListGroupsRequest.newBuilder().setPageSize(10_000).setPageToken(token).build());
      page.getGroupsList().stream().map(GroupSummary::getGroup).forEach(listed::add);
      token = page.getNextPageToken();
    } while (!token.isEmpty());
    assertThat(listed).isEqualTo(List.copyOf(new TreeSet<>(groups.names())));
  }

  @Test
  void prefix_leavesOthersOut() {
    ListGroupsResponse page =
        list(groups(250), ListGroupsRequest.newBuilder().setPrefix("group-24").build());
    assertThat(page.getGroupsList())
        .extracting(GroupSummary::getGroup)
        .containsExactly(
            "group-24",
            "group-240",
            "group-241",
            "group-242",
            "group-243",
            "group-244",
            "group-245",
            "group-246",
            "group-247",
            "group-248",
            "group-249");
    assertThat(page.getNextPageToken()).isEmpty();
  }

  @Test
  void fullLastPage_hasNoToken() {
    ListGroupsResponse page =
        list(groups(3), ListGroupsRequest.newBuilder().setPageSize(3).build());
    assertThat(page.getGroupsCount()).isEqualTo(3);
    assertThat(page.getNextPageToken()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1, 10_001})
  void badPageSize_refused(int size) {
    assertThatThrownBy(
            () -> list(groups(1), ListGroupsRequest.newBuilder().setPageSize(size).build()))
        .hasMessage("page_size: " + size + " is not between 1 and 10000");
  }

  private static ListGroupsResponse list(ScriptedGroups groups, ListGroupsRequest request) {
    return GroupListing.list(request, groups.scope("ListGroups", CallListener.NOOP));
  }

  private static ScriptedGroups groups(int count) {
    Map<String, Group> groups = new HashMap<>();
    for (int i = 0; i < count; i++) {
      groups.put("group-" + i, Group.empty("group-" + i));
    }
    return new ScriptedGroups(
        groups,
        request -> {
          throw new IllegalStateException("no test commits");
        });
  }
}
