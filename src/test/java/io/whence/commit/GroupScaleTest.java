package io.whence.commit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GroupScaleTest {
  private static final int GROUPS = 2_000;
  private static final int OFFSETS_EACH = 10;

  @Test
  void groups_takeLittleAndGiveItBack(@TempDir Path data) throws IOException {
    GroupScale.Result result = GroupScale.measure(data, GROUPS, OFFSETS_EACH);
    long live = (long) GROUPS * OFFSETS_EACH;
    assertThat(result.liveAfter()).isEqualTo(live);
    long heap = result.heap() - result.emptyHeap();
    // Measured: about a tenth of it. Other tests of this JVM may leave something behind, too.
    assertThat(heap).isLessThan(live * 1_000 + (16 << 20));
    assertThat(result.heapAfter() - result.emptyHeap()).isLessThan(heap + (16 << 20));
  }
}
