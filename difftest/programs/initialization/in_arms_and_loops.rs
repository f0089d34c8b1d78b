//! Variables that arms and loops initialize, several at a time.
#[workflow]
async fn program(n: i64) -> (String, Option<String>, i64, u8) {
    let a;
    let b: Option<_>;
    let (x, y);
    let total;
    if flag(n).await {
        a = fetch("a").await;
        b = None;
        (x, y) = pair(n).await;
    } else {
        let tmp = fetch("b").await;
        match find(n).await {
            Some(s) if s.len() > 5 => {
                a = s;
                b = Some(tmp)
            }
            Some(s) => {
                b = Some(s);
                a = tmp
            }
            None => {
                b = None;
                a = concat(&tmp, "z").await
            }
        }
        y = a.clone();
        x = act(1).await;
    }
    let z: u8;
    loop {
        let t = act(x).await;
        if t % 2 == 0 || x > 3 {
            total = t;
            z = 3;
            break;
        }
        if t == 1 {
            return (y, b, t, 0);
        }
        total = t + 1;
        z = 4;
        tick().await;
        break;
    }
    tick().await;
    (a + &y, b, total + x, z)
}
