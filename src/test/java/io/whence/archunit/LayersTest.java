package io.whence.archunit;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** Who may use whom; the picture is in docs/ARCHITECTURE.md, section 2. */
@AnalyzeClasses(packages = "io.whence", importOptions = ImportOption.DoNotIncludeTests.class)
class LayersTest {
  @ArchTest
  static final ArchRule layers_pointDownwards =
      layeredArchitecture()
          .consideringOnlyDependenciesInLayers()
          .withOptionalLayers(true)
          .layer("app")
          .definedBy("io.whence.app..")
          .layer("grpc")
          .definedBy("io.whence.grpc..")
          .layer("ops")
          .definedBy("io.whence.ops..")
          .layer("commit")
          .definedBy("io.whence.commit..")
          .layer("resolve")
          .definedBy("io.whence.resolve..")
          .layer("source")
          .definedBy("io.whence.source..")
          .layer("log")
          .definedBy("io.whence.log..")
          .layer("record")
          .definedBy("io.whence.record..")
          .layer("timeline")
          .definedBy("io.whence.timeline..")
          .layer("model")
          .definedBy("io.whence.model..")
          .layer("cli")
          .definedBy("io.whence.cli..")
          .whereLayer("app")
          .mayNotBeAccessedByAnyLayer()
          .whereLayer("cli")
          .mayNotBeAccessedByAnyLayer()
          .whereLayer("grpc")
          .mayOnlyBeAccessedByLayers("app")
          .whereLayer("ops")
          .mayOnlyBeAccessedByLayers("app")
          .whereLayer("commit")
          .mayOnlyBeAccessedByLayers("app", "grpc", "ops")
          .whereLayer("resolve")
          .mayOnlyBeAccessedByLayers("app", "grpc", "ops", "commit")
          .whereLayer("source")
          .mayOnlyBeAccessedByLayers("app", "grpc", "ops", "commit", "resolve")
          .whereLayer("log")
          .mayOnlyBeAccessedByLayers("app", "grpc", "ops", "commit", "resolve", "source")
          .whereLayer("record")
          .mayOnlyBeAccessedByLayers("app", "grpc", "ops", "commit", "resolve", "source", "log")
          .whereLayer("timeline")
          .mayOnlyBeAccessedByLayers("log", "resolve")
          .whereLayer("model")
          .mayOnlyBeAccessedByLayers(
              "app", "grpc", "ops", "commit", "resolve", "source", "log", "record", "timeline");

  @ArchTest
  static final ArchRule packages_haveNoCycles =
      slices().matching("io.whence.(**)").should().beFreeOfCycles().allowEmptyShould(true);

  @ArchTest
  static final ArchRule sources_doNotKnowEachOther =
      slices()
          .matching("io.whence.source.(*)..")
          .should()
          .notDependOnEachOther()
          .allowEmptyShould(true);

  @ArchTest
  static final ArchRule generatedProtos_areUsedOnlyAtTheEdges =
      noClasses()
          .that()
          .resideOutsideOfPackages("io.whence.v1..", "io.whence.grpc..", "io.whence.cli..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.whence.v1..");
}
