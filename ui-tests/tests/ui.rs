//! Every case of `fail/<rule>/` is refused with the words beside it. Those of `pass/` are a test
//! target of their own, so that here nothing is linked.

#[test]
fn ui() {
    trybuild::TestCases::new().compile_fail("tests/fail/*/*.rs");
}
