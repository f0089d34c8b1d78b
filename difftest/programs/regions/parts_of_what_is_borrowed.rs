//! Branches change each a part of a place, of which a local has borrowed other parts before and after.

#[derive(Serialize, Deserialize, Clone, Debug)]
struct Cart { total: i64, items: Vec<i64>, owner: Owner }
#[derive(Serialize, Deserialize, Clone, Debug)]
struct Owner { age: i64, owner: String }
#[workflow]
async fn program(n: i64) -> (Cart, i64) {
    let mut open = Cart { total: n, items: vec![], owner: Owner { age: 1, owner: "q".into() } };
    let cart = &mut open;
    tick().await;
    cart.total += 1;
    let (a, b) = join!(
        async {
            open.total += act(1).await;
            open.owner.age = act(open.owner.age).await;
            open.total
        },
        async {
            open.items.push(act(2).await);
            let (_, n) = join!(
                async { open.owner.owner.push_str(&fetch("a").await); },
                act(open.items.len() as i64)
            );
            n
        }
    );
    open.total += 100;
    let c = select! {
        age = async { open.owner.age += 1; tick().await; open.owner.age } => age,
        () = async { tick().await; open.owner.owner.push('w'); } => { open.owner.age = 50; 3 }
    };
    tick().await;
    let cart = &mut open;
    cart.owner.owner.push('!');
    tick().await;
    cart.items.push(9);
    (open, a + b + c)
}
