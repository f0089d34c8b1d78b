//! The articles that can be ordered, from the bundled `data/catalog.csv`.
//!
//! The file is part of the program: the input reader refuses an sku that is not in it, and the
//! warehouse starts with its stock.

use std::collections::BTreeMap;

const FILE: &str = include_str!("../../data/catalog.csv");

/// The articles by sku.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Catalog(BTreeMap<String, Article>);

/// One article.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Article {
    /// Its name, for people.
    pub name: String,
    /// How many the warehouse starts with.
    pub stock: u32,
}

impl Catalog {
    /// The bundled catalog.
    ///
    /// # Panics
    /// If the bundled file is malformed, which a test rules out.
    pub fn bundled() -> Self {
        let mut reader = csv::Reader::from_reader(FILE.as_bytes());
        let articles = reader.deserialize::<(String, String, u32)>().map(|row| {
            let (sku, name, stock) = row.expect("data/catalog.csv is compiled in and well-formed");
            (sku, Article { name, stock })
        });
        Self(articles.collect())
    }

    /// Whether there is such an article.
    pub fn contains(&self, sku: &str) -> bool {
        self.0.contains_key(sku)
    }

    /// The articles, ordered by sku.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Article)> {
        self.0.iter().map(|(sku, article)| (sku.as_str(), article))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bundled_catalog_is_well_formed() {
        let catalog = Catalog::bundled();
        assert!(catalog.contains("PITON-UNI"));
        assert_eq!(catalog.iter().filter(|(_, article)| article.stock == 0).count(), 1);
    }
}
