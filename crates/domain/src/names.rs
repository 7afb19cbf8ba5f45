//! The names of enums whose variants are stored and sent as text.

/// Gives an enum of plain variants `ALL`, `name`, [`Display`](std::fmt::Display) and
/// [`FromStr`](std::str::FromStr): one text for each variant, as the store and the wire have it.
#[macro_export]
macro_rules! names {
    ($type:ident, $what:literal, $error:ident, $($variant:ident => $name:literal),+ $(,)?) => {
        impl $type {
            /// All of them, in the order of their definition.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The name in the store and on the wire.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }

        #[doc = concat!("A text that is not the name of a ", $what, ".")]
        #[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
        #[error("“{0}” is not a {what}: use one of {all}", what = $what, all = [$($name),+].join(", "))]
        pub struct $error(pub String);

        impl std::str::FromStr for $type {
            type Err = $error;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                match text { $($name => Ok(Self::$variant),)+ _ => Err($error(text.to_owned())) }
            }
        }
    };
}

pub(crate) use names;
