//! What is made from what?
