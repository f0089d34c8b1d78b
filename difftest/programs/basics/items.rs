//! Items in the body: functions, constants, types and imports.

#[workflow]
async fn program(cx: &Context, n: i64) -> i64 {
    use std::collections::BTreeMap as Map;
    const STEP: i64 = 3;
    #[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
    enum Mode { Fast, Slow }
    fn next(mode: Mode) -> Mode {
        match mode { Mode::Fast => Mode::Slow, Mode::Slow => Mode::Fast }
    }
    let mut mode = Mode::Fast;
    let mut seen_modes = Map::new();
    for i in 0..n {
        seen_modes.insert(i, mode);
        act(i + STEP).await;
        mode = next(mode);
    }
    seen_modes.values().filter(|mode| **mode == Mode::Slow).count() as i64
}
