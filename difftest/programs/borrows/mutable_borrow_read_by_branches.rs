//! A mutable borrow that several branches look through at the same time.

#[workflow]
async fn program(n: i64) -> i64 {
    let mut form = Shape::Point;
    let held: &mut Shape = &mut form;
    *held = shape(n).await;
    for round in 0..2 {
        let (a, b) = join!(
            async {
                note((*held).clone());
                area(held.clone()).await
            },
            async {
                let more = act(round).await;
                note(&*held);
                join!(async { add(more, area((*held).clone()).await).await }, act(1)).0
            }
        );
        note((a, b));
        select! {
            x = async {
                note((*held).clone());
                shape(n).await
            } => { note(x); }
            y = async {
                if *held == Shape::Point {
                    note("a point");
                }
                order(n).await
            } => { note(y); }
        }
        *held = shape(n + round).await;
    }
    note(form);
    n
}
