//! Branches change each a part of what a local has borrowed.

#[derive(Serialize, Deserialize, Clone, Debug)]
struct Cart { total: i64, items: Vec<i64>, owner: Owner }
#[derive(Serialize, Deserialize, Clone, Debug)]
struct Owner { age: i64, owner: String }
#[workflow]
async fn program(n: i64) -> (Cart, i64) {
    let mut open = Cart { total: n, items: vec![], owner: Owner { age: 1, owner: "q".into() } };
    let cart = &mut open;
    let (a, b) = join!(
        async {
            cart.total += act(1).await;
            cart.owner.age = act(cart.owner.age).await;
            cart.total
        },
        async {
            cart.items.push(act(2).await);
            let (_, n) = join!(
                async { cart.owner.owner.push_str(&fetch("a").await); },
                act(cart.items.len() as i64)
            );
            n
        }
    );
    cart.total += 100;
    let owner = &mut cart.owner;
    let c = select! {
        age = async { owner.age += 1; tick().await; owner.age } => age,
        () = async { tick().await; owner.owner.push('w'); } => { owner.age = 50; 3 }
    };
    tick().await;
    owner.owner.push('!');
    cart.items.push(9);
    (open, a + b + c)
}
