//! Reports on studies and files as JSON. Commands print them, and the HTTP API sends them.

mod agreement;
mod dimension;
mod estimates;
mod systems;

pub(crate) use self::{
    agreement::{
        AgreementEstimate, AgreementGrouping, AgreementJson, AgreementOptions, AgreementReport,
        ResamplingUnit,
    },
    dimension::{choose_dimension, dimension_index},
    estimates::{
        AlphaJson, BootstrapIntervalJson, EstimateJson, FigureJson, UndefinedReasons,
        value_and_reason,
    },
    systems::{PartRanking, SystemGrouping, SystemRankings, SystemsJson, find_group},
};
