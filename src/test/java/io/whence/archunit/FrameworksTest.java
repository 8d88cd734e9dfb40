package io.whence.archunit;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
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
  private static final String RECORD = "io.whence.record..";
  private static final String SOURCE_KAFKA = "io.whence.source.kafka..";
  private static final String COMMIT_KAFKA = "io.whence.commit.kafka..";
  private static final String FETCH = "io.whence.source.kafka.fetch..";
  private static final String KAFKA = "org.apache.kafka..";

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
  static final ArchRule openTelemetry_isKnownOnlyToApp =
      noClasses()
          .that()
          .resideOutsideOfPackage(APP)
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.opentelemetry..");

  @ArchTest
  static final ArchRule picocli_isKnownOnlyToTheCommandLine =
      noClasses()
          .that()
          .resideOutsideOfPackage(CLI)
          .should()
          .dependOnClassesThat()
          .resideInAPackage("picocli..");

  @ArchTest
  static final ArchRule kafkasClient_isKnownOnlyToRecordAndWhatFollowsClusters =
      noClasses()
          .that()
          .resideOutsideOfPackages(RECORD, SOURCE_KAFKA, COMMIT_KAFKA)
          .should()
          .dependOnClassesThat()
          .resideInAPackage(KAFKA);

  @ArchTest
  static final ArchRule record_usesNothingOfKafkaButItsCodecs =
      noClasses()
          .that()
          .resideInAPackage(RECORD)
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "org.apache.kafka.clients..",
              "org.apache.kafka.common.record..",
              "org.apache.kafka.common.requests..",
              "org.apache.kafka.storage..");

  @ArchTest
  static final ArchRule kafkasInternals_areKnownOnlyToFetch =
      noClasses()
          .that()
          .resideInAnyPackage(SOURCE_KAFKA, COMMIT_KAFKA)
          .and()
          .resideOutsideOfPackage(FETCH)
          .should()
          .dependOnClassesThat(
              resideInAPackage(KAFKA)
                  .and(
                      not(
                          resideInAnyPackage(
                              "org.apache.kafka.clients.admin",
                              "org.apache.kafka.clients.consumer",
                              "org.apache.kafka.clients.producer",
                              "org.apache.kafka.common",
                              "org.apache.kafka.common.acl",
                              "org.apache.kafka.common.config",
                              "org.apache.kafka.common.errors",
                              "org.apache.kafka.common.header",
                              "org.apache.kafka.common.record",
                              "org.apache.kafka.common.serialization"))))
          .because("everything else may change with each version of kafka-clients")
          .allowEmptyShould(true);

  @ArchTest
  static final ArchRule fetch_letsNothingOfKafkaOut =
      methods()
          .that()
          .arePublic()
          .and()
          .areDeclaredInClassesThat()
          .resideInAPackage(FETCH)
          .and()
          .areDeclaredInClassesThat()
          .arePublic()
          .should()
          .notHaveRawReturnType(resideInAPackage(KAFKA))
          .andShould()
          .notHaveRawParameterTypes(
              describe(
                  "of Kafka", types -> types.stream().anyMatch(resideInAPackage(KAFKA)::test)));

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
