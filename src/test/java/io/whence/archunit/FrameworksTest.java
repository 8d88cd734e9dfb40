package io.whence.archunit;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** Each framework stays where it belongs, so that the core can be tested and read without it. */
@AnalyzeClasses(packages = "io.whence", importOptions = ImportOption.DoNotIncludeTests.class)
class FrameworksTest {
  private static final String GENERATED = "io.whence.v1..";
  private static final String APP = "io.whence.app..";
  private static final String GRPC = "io.whence.grpc..";
  private static final String OPS = "io.whence.ops..";
  private static final String CLI = "io.whence.cli..";

  @ArchTest
  static final ArchRule quarkus_isKnownOnlyToTheServersEdge =
      noClasses()
          .that()
          .resideOutsideOfPackages(GENERATED, APP, GRPC, OPS)
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "io.quarkus..",
              "jakarta..",
              "io.smallrye..",
              "org.eclipse.microprofile..",
              "io.micrometer..",
              "io.vertx..");

  @ArchTest
  static final ArchRule grpcAndProtobuf_areKnownOnlyToTheEdges =
      noClasses()
          .that()
          .resideOutsideOfPackages(GENERATED, APP, GRPC, CLI)
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.grpc..", "com.google.protobuf..", "com.google.rpc..");

  @ArchTest
  static final ArchRule picocli_isKnownOnlyToTheCommandLine =
      noClasses()
          .that()
          .resideOutsideOfPackage(CLI)
          .should()
          .dependOnClassesThat()
          .resideInAPackage("picocli..");

  @ArchTest
  static final ArchRule kafkasCodecs_areKnownOnlyToRecord =
      noClasses()
          .that()
          .resideOutsideOfPackage("io.whence.record..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("org.apache.kafka..");

  @ArchTest
  static final ArchRule record_usesNothingOfKafkaButItsCodecs =
      noClasses()
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "org.apache.kafka.clients..",
              "org.apache.kafka.common.record..",
              "org.apache.kafka.common.requests..",
              "org.apache.kafka.storage..");

  @ArchTest
  static final ArchRule fields_areNotInjected =
      noFields()
          .should()
          .beAnnotatedWith("jakarta.inject.Inject")
          .orShould()
          .beAnnotatedWith("org.eclipse.microprofile.config.inject.ConfigProperty")
          .orShould()
          .beAnnotatedWith("io.quarkus.grpc.GrpcClient")
          .because("what a class needs is in its constructor");
}
