package io.whence.archunit;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.RandomAccessFile;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.time.Clock;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.Timer;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;

/** Files, clocks, threads and standard streams are touched in few places. */
@AnalyzeClasses(packages = "io.whence", importOptions = ImportOption.DoNotIncludeTests.class)
class EffectsTest {
  private static final String APP = "io.whence.app..";
  private static final String CLI = "io.whence.cli..";

  @ArchTest
  static final ArchRule files_areTouchedOnlyByLogsSourcesAndCli =
      noClasses()
          .that()
          .resideOutsideOfPackages(
              "io.whence.log..", "io.whence.source..", "io.whence.app.tls..", CLI)
          .should()
          .dependOnClassesThat()
          .belongToAnyOf(
              Files.class,
              FileChannel.class,
              AsynchronousFileChannel.class,
              RandomAccessFile.class,
              FileInputStream.class,
              FileOutputStream.class)
          .because("an event loop must never wait for a disk");

  @ArchTest
  static final ArchRule clocks_areMadeOnlyInAppAndCli =
      noClasses()
          .that()
          .resideOutsideOfPackages(APP, CLI)
          .should()
          .callMethod(System.class, "currentTimeMillis")
          .orShould()
          .callMethod(Instant.class, "now")
          .orShould()
          .callMethod(LocalDate.class, "now")
          .orShould()
          .callMethod(LocalDateTime.class, "now")
          .orShould()
          .callMethod(OffsetDateTime.class, "now")
          .orShould()
          .callMethod(ZonedDateTime.class, "now")
          .orShould()
          .callMethod(Clock.class, "systemUTC")
          .orShould()
          .callMethod(Clock.class, "systemDefaultZone")
          .because("a test must be able to say what time it is");

  @ArchTest
  static final ArchRule threads_areMadeOnlyInAppAndCli =
      noClasses()
          .that()
          .resideOutsideOfPackages(APP, CLI)
          .should()
          .dependOnClassesThat()
          .belongToAnyOf(
              Executors.class,
              ThreadPoolExecutor.class,
              ScheduledThreadPoolExecutor.class,
              ForkJoinPool.class,
              Timer.class)
          .orShould()
          .callConstructor(Thread.class)
          .orShould()
          .callConstructor(Thread.class, Runnable.class)
          .orShould()
          .callConstructor(Thread.class, Runnable.class, String.class)
          .orShould()
          .callConstructor(Thread.class, String.class)
          .because("threads are named, bounded and stopped in one place");

  @ArchTest
  static final ArchRule standardStreams_belongToTheCommandLine =
      noClasses()
          .that()
          .resideOutsideOfPackages(APP, CLI)
          .should()
          .accessField(System.class, "out")
          .orShould()
          .accessField(System.class, "err")
          .because("a server logs");
}
