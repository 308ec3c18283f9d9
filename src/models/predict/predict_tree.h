/*
 * Regression trees by the CART method (Breiman, Friedman, Olshen and Stone, Classification and
 * Regression Trees, 1984, chapter 8), which Laius chose for its predictions (ICS'19, section 5.3).
 *
 * One binary tree per target. A node splits at the feature and threshold that leave the least sum
 * of squared deviations from the two means; thresholds lie midway between neighbouring values. Of
 * equally good splits the first feature and the smallest threshold count. A tree grows until the
 * samples of a leaf agree in the target or in all features; its prediction is the mean of the leaf.
 * Nothing is pruned: the paper does not say that it does.
 */
#ifndef PREDICT_TREE_H
#define PREDICT_TREE_H

#include "models/predict/predict.h"

extern const struct predict_model_type predict_tree;

#endif
