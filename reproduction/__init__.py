"""Reproduction of the paper's experiments with the public interface of labeldist."""
