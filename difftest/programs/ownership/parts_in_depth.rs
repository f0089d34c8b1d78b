//! Parts of parts that are taken, filled again, and taken apart out of boxes.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Addr {
    street: String,
    city: City,
}
#[derive(Debug, Clone, Serialize, Deserialize)]
struct City {
    name: String,
    zip: (String, i64),
}
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Person {
    name: String,
    home: Addr,
    work: Option<Box<Addr>>,
}
fn addr(n: i64) -> Addr {
    Addr {
        street: format!("s{n}"),
        city: City { name: format!("c{n}"), zip: (format!("z{n}"), n) },
    }
}
#[workflow]
async fn program(n: i64) -> (String, Person) {
    let mut p = Person {
        name: fetch("p").await,
        home: addr(n),
        work: flag(n).await.then(|| Box::new(addr(n + 1))),
    };
    let zip = std::mem::take(&mut p.home.city.zip.0);
    let street = std::mem::take(&mut p.home.street);
    let out = concat(&zip, &street).await;
    let name = std::mem::take(&mut p.name);
    p.home.city.zip.0 = fetch(&p.home.city.name).await;
    p.name = if n > 1 { name.clone() + "!" } else { fetch(&name).await };
    let num = p.home.city.zip.1 + act(1).await;
    p.home.street = format!("{street}{num}");
    let work = p.work.take();
    let text = match work {
        Some(b) => {
            let Addr { street, city: City { zip: (a, k), .. } } = *b;
            p.work = None;
            concat(&street, &a).await + &k.to_string()
        }
        None => {
            p.work = Some(Box::new(addr(act(n).await)));
            out.clone()
        }
    };
    let t = (p.home.clone(), text);
    let (h, _) = &t;
    let s = fetch(&h.city.name).await;
    let moved = t.0.city;
    tick().await;
    (format!("{s}{moved:?}{}{}{out}", t.1, t.0.street), p)
}
