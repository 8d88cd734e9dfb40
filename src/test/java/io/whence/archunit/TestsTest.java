package io.whence.archunit;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.util.concurrent.TimeUnit;

/** Tests wait for events, not for time to pass. */
@AnalyzeClasses(packages = "io.whence", importOptions = ImportOption.OnlyIncludeTests.class)
class TestsTest {
  @ArchTest
  static final ArchRule tests_doNotSleep =
      noClasses()
          .should()
          .callMethod(Thread.class, "sleep", long.class)
          .orShould()
          .callMethod(TimeUnit.class, "sleep", long.class);
}
