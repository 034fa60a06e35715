"""Fits the model that tells what will matter later, on turns that we wrote."""
