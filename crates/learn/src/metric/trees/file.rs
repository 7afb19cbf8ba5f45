//! Trees in model files, and in the files of stopped trainings.

use safetensors::SafeTensors;

use super::{
    super::tensors::{HybridModelError, TensorWriter, read_counts, read_floats, read_text},
    TreeEnsemble, TreeNode,
};

/// The key in a file of trees that identifies their training.
const TRAINING_KEY: &str = "rankrate-trees";

/// Names of tensors: base, number of nodes of each tree, and for each node column,
/// threshold, children and value.
pub(in super::super) type TreeTensorNames = [&'static str; 6];

/// The trees that predict the mean z.
pub(in super::super) const TREE_TENSORS: TreeTensorNames = [
    "trees.base",
    "trees.nodes",
    "trees.column",
    "trees.threshold",
    "trees.children",
    "trees.value",
];

/// The trees of the guard.
pub(in super::super) const GUARD_TENSORS: TreeTensorNames = [
    "guard.base",
    "guard.nodes",
    "guard.column",
    "guard.threshold",
    "guard.children",
    "guard.value",
];

impl TreeEnsemble {
    /// A file of the trees grown so far, from which the training of that key continues.
    #[must_use]
    pub fn save(&self, training: &str) -> Vec<u8> {
        let mut file = TensorWriter::default();
        self.write_tensors(&mut file, TREE_TENSORS);
        file.finish(TRAINING_KEY, training.to_owned())
    }

    /// Reads what [`Self::save`] wrote, for a training with `columns` features.
    ///
    /// # Errors
    /// The file has another format, belongs to another training, or is damaged.
    pub fn load(file: &[u8], training: &str, columns: usize) -> Result<Self, HybridModelError> {
        if read_text(file, TRAINING_KEY)? != training {
            return Err(HybridModelError::OtherTraining);
        }
        Self::read_tensors(&SafeTensors::deserialize(file)?, columns, TREE_TENSORS)
    }

    pub(in super::super) fn write_tensors(&self, file: &mut TensorWriter, names: TreeTensorNames) {
        let nodes: Vec<&TreeNode> = self.trees.iter().flatten().collect();
        let n = nodes.len();
        let thresholds: Vec<f32> = nodes.iter().map(|node| node.threshold).collect();
        let children = nodes.iter().flat_map(|node| node.children);
        let values: Vec<f32> = nodes.iter().map(|node| node.value).collect();

        file.add_floats(names[0], &[1], &[self.base]);
        file.add_counts(names[1], &[self.len()], self.trees.iter().map(Vec::len));
        file.add_counts(
            names[2],
            &[n],
            nodes.iter().map(|node| node.column as usize),
        );
        file.add_floats(names[3], &[n], &thresholds);
        file.add_counts(names[4], &[n, 2], children.map(|child| child as usize));
        file.add_floats(names[5], &[n], &values);
    }

    pub(in super::super) fn read_tensors(
        file: &SafeTensors<'_>,
        columns: usize,
        names: TreeTensorNames,
    ) -> Result<Self, HybridModelError> {
        let base = *read_floats(file, names[0])?
            .1
            .first()
            .ok_or(HybridModelError::Damaged(names[0]))?;
        let sizes = read_counts(file, names[1])?.1;
        let column = read_counts(file, names[2])?.1;
        let threshold = read_floats(file, names[3])?.1;
        let children = read_counts(file, names[4])?.1;
        let value = read_floats(file, names[5])?.1;

        let n = sizes
            .iter()
            .try_fold(0_usize, |sum, size| sum.checked_add(*size));
        let whole = n == Some(column.len())
            && [threshold.len(), value.len(), children.len() / 2] == [column.len(); 3];
        if !whole {
            return Err(HybridModelError::Damaged(names[1]));
        }

        let mut trees = Vec::with_capacity(sizes.len());
        let mut first = 0;
        for size in sizes {
            let read_node = |at: usize| {
                let all = first + at;
                let pair = [children[2 * all], children[2 * all + 1]];
                // Children come after their parents, so that every way through a tree ends.
                let sound = column[all] < columns
                    && (pair == [at; 2] || pair.iter().all(|child| (at + 1..size).contains(child)));
                sound.then(|| TreeNode {
                    column: column[all] as u32,
                    threshold: threshold[all],
                    children: pair.map(|child| child as u32),
                    value: value[all],
                })
            };

            let tree: Option<Vec<TreeNode>> = (0..size).map(read_node).collect();
            let tree = tree.filter(|tree| !tree.is_empty());
            trees.push(tree.ok_or(HybridModelError::Damaged(names[4]))?);
            first += size;
        }

        Ok(Self { base, trees })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tree of one split on the second of two columns, written and read after `edit`.
    fn read(edit: impl FnOnce(&mut Vec<TreeNode>)) -> Result<TreeEnsemble, String> {
        let node = |column, children, value| TreeNode {
            column,
            threshold: 0.5,
            children,
            value,
        };
        let mut tree = vec![
            node(1, [1, 2], 0.0),
            node(0, [1, 1], -1.0),
            node(0, [2, 2], 1.0),
        ];
        edit(&mut tree);
        let trees = TreeEnsemble {
            base: 0.0,
            trees: vec![tree],
        };
        let read = TreeEnsemble::load(&trees.save("a test"), "a test", 2);
        read.map_err(|error| error.to_string())
    }

    #[test]
    fn trees_that_lead_nowhere_are_refused() {
        let whole = read(|_| ()).expect("sound");
        assert!((whole.predict(&[0.0, 1.0]) - 1.0).abs() < 1e-9);
        let refused = |edit: fn(&mut Vec<TreeNode>), name: &str| {
            let why = read(edit).expect_err(name);
            assert!(why.contains("damaged") && why.contains(name), "{why}");
        };
        refused(|tree| tree[0].column = 2, "trees.children");
        refused(|tree| tree[2].column = u32::MAX, "trees.children");
        refused(|tree| tree[0].children = [0, 2], "trees.children");
        refused(|tree| tree[0].children = [1, 3], "trees.children");
        refused(|tree| tree[2].children = [1, 1], "trees.children");
        refused(Vec::clear, "trees.children");
        refused(|tree| tree[0].threshold = f32::NAN, "trees.threshold");
        refused(|tree| tree[1].value = f32::INFINITY, "trees.value");
    }
}
