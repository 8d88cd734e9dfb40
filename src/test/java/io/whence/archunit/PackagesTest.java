package io.whence.archunit;

import static com.tngtech.archunit.core.domain.JavaModifier.FINAL;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import org.jspecify.annotations.NullMarked;

/** What every package and class of ours has in common. */
@AnalyzeClasses(packages = "io.whence", importOptions = ImportOption.DoNotIncludeTests.class)
class PackagesTest {
  @ArchTest
  static final ArchRule packages_areNullMarked =
      classes()
          .that()
          .resideOutsideOfPackage("io.whence.v1..")
          .should(resideInNullMarkedPackage())
          .because("NullAway looks only there");

  @ArchTest
  static final ArchRule packages_areNamedForWhatTheyHold =
      noClasses().should().resideInAnyPackage("..util..", "..utils..", "..common..", "..impl..");

  @ArchTest
  static final ArchRule classes_areNamedForWhatTheyAre =
      noClasses()
          .that()
          .resideOutsideOfPackage("io.whence.v1..")
          .should()
          .haveSimpleNameEndingWith("Impl")
          .orShould()
          .haveSimpleNameEndingWith("Manager")
          .orShould()
          .haveSimpleNameEndingWith("Helper")
          .orShould()
          .haveSimpleNameEndingWith("Util")
          .orShould()
          .haveSimpleNameEndingWith("Utils");

  @ArchTest
  static final ArchRule classesOfTheCore_areFinal =
      classes()
          .that()
          .resideInAnyPackage(
              "io.whence.model..",
              "io.whence.record..",
              "io.whence.log..",
              "io.whence.source..",
              "io.whence.resolve..")
          .and()
          .areNotInterfaces()
          .and()
          .areNotEnums()
          .and()
          .areNotAnonymousClasses()
          .and()
          .doNotHaveModifier(JavaModifier.ABSTRACT)
          .should(beFinal());

  private static ArchCondition<JavaClass> resideInNullMarkedPackage() {
    return new ArchCondition<>("reside in a package that is @NullMarked") {
      @Override
      public void check(JavaClass type, ConditionEvents events) {
        boolean marked = type.getPackage().isAnnotatedWith(NullMarked.class);
        String message = type.getPackageName() + " has no package-info with @NullMarked";
        events.add(new SimpleConditionEvent(type, marked, message));
      }
    };
  }

  private static ArchCondition<JavaClass> beFinal() {
    return new ArchCondition<>("be final") {
      @Override
      public void check(JavaClass type, ConditionEvents events) {
        // The body of an enum constant is a class that Java can't make final.
        boolean fine = type.getModifiers().contains(FINAL) || type.isAssignableTo(Enum.class);
        events.add(new SimpleConditionEvent(type, fine, type.getName() + " is not final"));
      }
    };
  }
}
