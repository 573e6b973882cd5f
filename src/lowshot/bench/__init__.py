"""The paper's figures, reproduced: tasks, experiments, rows, figures."""
