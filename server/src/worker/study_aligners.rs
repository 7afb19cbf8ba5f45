//! The aligner of each study: the server's, or one that the study trained and uses.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use domain::{
    ids::{ModelId, StudyId},
    text::{align::AlignerGrade, edits::EditsVersion},
};
use learn::aligner::{Aligner, AlignerError, AlignerModel, AlignerModelCard, AlignerModelError};
use store::{Store, metrics::AdoptedAligner};

/// An aligner with the version of edits that it makes.
#[derive(Debug, Clone)]
pub(super) struct VersionedAligner {
    pub(super) aligner: Arc<Aligner>,
    pub(super) version: EditsVersion,
}

/// The version of edits made with a server's aligner.
pub(super) fn edits_version(aligner: &Aligner) -> EditsVersion {
    EditsVersion::new(aligner.grade(), aligner.version())
}

/// The version of edits made with a study's own aligner, whose file has this hash.
pub(super) fn model_edits_version(card: &AlignerModelCard, hash: &str) -> EditsVersion {
    let grade = match card.encoder {
        Some(_) => AlignerGrade::Encoder,
        None => AlignerGrade::Grid,
    };
    EditsVersion::new(grade, card.version).for_study_file(hash)
}

/// Opens the aligners of studies, and keeps those opened last.
pub(super) struct StudyAligners {
    server: Arc<Aligner>,
    /// The aligner of each study that uses its own, as last opened; `None` if this server cannot open it.
    opened: Mutex<HashMap<StudyId, (ModelId, Option<VersionedAligner>)>>,
}

/// A reason why a study's own aligner cannot be opened.
#[derive(Debug, thiserror::Error)]
enum UnusableAligner {
    #[error("its file is missing")]
    NoFile,
    #[error(transparent)]
    Model(#[from] AlignerModelError),
    #[error(transparent)]
    Encoder(#[from] AlignerError),
}

impl StudyAligners {
    pub(super) fn new(server: Arc<Aligner>) -> Self {
        Self {
            server,
            opened: Mutex::default(),
        }
    }

    /// Loads the aligner of every study that uses its own; `None` if this server cannot open it, so that
    /// another one aligns the study. Forgets aligners that are no longer used.
    pub(super) async fn load_own(
        &self,
        store: &Store,
    ) -> store::Result<HashMap<StudyId, Option<VersionedAligner>>> {
        let adopted = store.adopted_aligners().await?;
        let mut own = HashMap::with_capacity(adopted.len());
        for adopted in adopted {
            let known = self.lock_opened().get(&adopted.study).cloned();
            let opened = match known {
                Some((model, opened)) if model == adopted.model => opened,
                _ => self.open(store, &adopted).await?,
            };
            own.insert(adopted.study, (adopted.model, opened));
        }

        self.lock_opened().clone_from(&own);
        let own = own.into_iter();
        Ok(own.map(|(study, (_, opened))| (study, opened)).collect())
    }

    /// The server's aligner.
    pub(super) fn server(&self) -> VersionedAligner {
        VersionedAligner {
            aligner: self.server.clone(),
            version: edits_version(&self.server),
        }
    }

    async fn open(
        &self,
        store: &Store,
        adopted: &AdoptedAligner,
    ) -> store::Result<Option<VersionedAligner>> {
        let file = store.model_file(adopted.study, adopted.model).await?;
        let opened = self.read(file, &adopted.hash);
        Ok(match opened {
            Ok(aligner) => Some(aligner),
            Err(error) => {
                let study = adopted.study;
                tracing::warn!(%study, %error, "a study's own aligner cannot be used by this server");
                None
            }
        })
    }

    fn read(&self, file: Option<Vec<u8>>, hash: &str) -> Result<VersionedAligner, UnusableAligner> {
        let model = AlignerModel::read(&file.ok_or(UnusableAligner::NoFile)?)?;
        let version = model_edits_version(model.card(), hash);
        let encoder = match model.card().encoder {
            Some(_) => self.server.open_encoder().cloned(),
            None => None,
        };
        Ok(VersionedAligner {
            aligner: Arc::new(Aligner::new(model, encoder)?),
            version,
        })
    }

    fn lock_opened(
        &self,
    ) -> std::sync::MutexGuard<'_, HashMap<StudyId, (ModelId, Option<VersionedAligner>)>> {
        self.opened.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
