package io.whence.cli;

import io.whence.v1.GroupSummary;
import io.whence.v1.ListGroupsRequest;
import io.whence.v1.ListGroupsResponse;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Lists the groups of a source, page by page. Single-writer. */
@Command(
    name = "groups",
    description = "Lists the groups that have committed offsets.",
    mixinStandardHelpOptions = true,
    footerHeading = "%nExample:%n",
    footer = "  whence groups billing- --zone Asia/Shanghai")
final class GroupsCommand implements Callable<Integer> {
  private static final int PAGE = 1_000;
  private static final int TOPIC_COLUMNS = 48;

  @Mixin private ServerOptions server = new ServerOptions();
  @Mixin private OutputOptions output = new OutputOptions();
  @Mixin private ZoneOption zone = new ZoneOption();

  @Parameters(
      arity = "0..1",
      paramLabel = "PREFIX",
      description = "Lists only groups whose names start so.")
  private String prefix = "";

  @Override
  public Integer call() {
    TimeDisplay times = zone.display();
    ListGroupsResponse response = all();
    if (output.json()) {
      output.document(response);
      return ExitCode.ANSWERED;
    }
    output.table(table(response, times));
    output.line("");
    output.line(
        "  source "
            + DisplayText.printable(response.getSource())
            + ": "
            + TopicWords.count(response.getGroupsCount(), "group"));
    return ExitCode.ANSWERED;
  }

  private ListGroupsResponse all() {
    ListGroupsRequest.Builder request =
        ListGroupsRequest.newBuilder()
            .setSource(server.source())
            .setPrefix(prefix)
            .setPageSize(PAGE);
    ListGroupsResponse.Builder all = ListGroupsResponse.newBuilder();
    try (Client client = server.connect()) {
      String token;
      do {
        token = request.getPageToken();
        ListGroupsResponse page = client.groups(groups -> groups.listGroups(request.build()));
        all.setSource(page.getSource()).addAllGroups(page.getGroupsList());
        request.setPageToken(page.getNextPageToken());
        // The same token twice would lead round in circles.
      } while (!request.getPageToken().isEmpty() && !request.getPageToken().equals(token));
    }
    return all.build();
  }

  private static TextTable table(ListGroupsResponse response, TimeDisplay times) {
    TextTable table =
        new TextTable(
            TextTable.left("group"),
            TextTable.left("kind"),
            TextTable.right("offsets"),
            TextTable.left("topics"),
            TextTable.left("last commit (" + times.zoneName() + ")"),
            TextTable.left("first expiry"));
    for (GroupSummary group : response.getGroupsList()) {
      String topics = String.join(", ", group.getTopicsList());
      table.add(
          group.getGroup(),
          Cells.words(group.getKind(), "GROUP_KIND_"),
          group.getOffsetCount(),
          DisplayText.cut(DisplayText.printable(topics), TOPIC_COLUMNS),
          group.hasLastCommitTimeMs() ? times.text(group.getLastCommitTimeMs()) : Cells.none(),
          group.hasFirstExpiresAtMs() ? times.text(group.getFirstExpiresAtMs()) : Cells.none());
    }
    return table;
  }
}
