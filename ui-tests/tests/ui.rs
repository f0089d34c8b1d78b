//! Every case of `pass/` compiles, every case of `fail/<rule>/` is refused with the words beside it.

#[test]
fn ui() {
    let cases = trybuild::TestCases::new();
    cases.pass("tests/pass/*.rs");
    cases.compile_fail("tests/fail/*/*.rs");
}
