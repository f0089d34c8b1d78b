//! Locals of an inner scope are gone after it, whatever they are.

#[workflow]
async fn program(n: i64) -> i64 {
    let base = act(n).await;
    let sum = {
        let cell = std::cell::RefCell::new(vec![base]);
        cell.borrow_mut().push(1);
        let guard = cell.borrow();
        guard.iter().sum::<i64>()
    };
    act(sum).await + base
}
