//! Trees in a file, and those of a training that was stopped.

use safetensors::SafeTensors;

use super::{
    super::tensors::{ModelError, Writer, counts, floats, text},
    Node, Trees,
};

/// The name under which a file of trees alone says which training they are of.
const TRAINING: &str = "rankrate-trees";

/// What the numbers of trees are called in a file: base, nodes of each tree, and of each node column,
/// threshold, children and value.
pub(in super::super) type Names = [&'static str; 6];

/// Of those that know how right an output is.
pub(in super::super) const TREES: Names = [
    "trees.base",
    "trees.nodes",
    "trees.column",
    "trees.threshold",
    "trees.children",
    "trees.value",
];

/// Of the guard's.
pub(in super::super) const GUARD: Names = [
    "guard.base",
    "guard.nodes",
    "guard.column",
    "guard.threshold",
    "guard.children",
    "guard.value",
];

impl Trees {
    /// A small file of the trees grown so far, from which a training of that name goes on.
    #[must_use]
    pub fn save(&self, training: &str) -> Vec<u8> {
        let mut file = Writer::default();
        self.put(&mut file, TREES);
        file.finish(TRAINING, training.to_owned())
    }

    /// Reads what [`Trees::save`] wrote, for a training with so many features.
    ///
    /// # Errors
    /// The file is another one, damaged, or of another training.
    pub fn load(file: &[u8], training: &str, columns: usize) -> Result<Self, ModelError> {
        if text(file, TRAINING)? != training {
            return Err(ModelError::OtherTraining);
        }
        Self::take(&SafeTensors::deserialize(file)?, columns, TREES)
    }

    pub(in super::super) fn put(&self, file: &mut Writer, names: Names) {
        let nodes: Vec<&Node> = self.trees.iter().flatten().collect();
        let n = nodes.len();
        let floats = |of: fn(&Node) -> f32| nodes.iter().map(|node| of(node)).collect::<Vec<f32>>();
        file.floats(names[0], &[1], &[self.base]);
        file.counts(names[1], &[self.len()], self.trees.iter().map(Vec::len));
        file.counts(names[2], &[n], nodes.iter().map(|it| it.column as usize));
        file.floats(names[3], &[n], &floats(|it| it.threshold));
        let children = nodes.iter().flat_map(|it| it.children);
        file.counts(names[4], &[n, 2], children.map(|it| it as usize));
        file.floats(names[5], &[n], &floats(|it| it.value));
    }

    pub(in super::super) fn take(
        file: &SafeTensors<'_>,
        columns: usize,
        names: Names,
    ) -> Result<Self, ModelError> {
        let base = *floats(file, names[0])?
            .1
            .first()
            .ok_or(ModelError::Damaged(names[0]))?;
        let sizes = counts(file, names[1])?.1;
        let column = counts(file, names[2])?.1;
        let threshold = floats(file, names[3])?.1;
        let children = counts(file, names[4])?.1;
        let value = floats(file, names[5])?.1;
        let n = sizes
            .iter()
            .try_fold(0_usize, |sum, size| sum.checked_add(*size));
        let whole = n == Some(column.len())
            && [threshold.len(), value.len(), children.len() / 2] == [column.len(); 3];
        if !whole {
            return Err(ModelError::Damaged(names[1]));
        }
        let mut trees = Vec::with_capacity(sizes.len());
        let mut first = 0;
        for size in sizes {
            let node = |at: usize| {
                let all = first + at;
                let pair = [children[2 * all], children[2 * all + 1]];
                // Children come after their parents, so that every way through a tree ends.
                let sound = column[all] < columns
                    && (pair == [at; 2] || pair.iter().all(|it| (at + 1..size).contains(it)));
                sound.then(|| Node {
                    column: column[all] as u32,
                    threshold: threshold[all],
                    children: pair.map(|it| it as u32),
                    value: value[all],
                })
            };
            let tree: Option<Vec<Node>> = (0..size).map(node).collect();
            let tree = tree.filter(|tree| !tree.is_empty());
            trees.push(tree.ok_or(ModelError::Damaged(names[4]))?);
            first += size;
        }
        Ok(Self { base, trees })
    }
}
