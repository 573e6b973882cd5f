"""Charts: the data that they show, and the two libraries that draw it.

    estimate_path  the estimate after 1, 2, ... labels: `EstimatePath`, and `plot` for `Evaluation.plot`
    threshold_curve  precision and recall at every threshold, and `plot` for `Thresholds.plot`
    dots           a table of slices or categories as dots and intervals, the lowest first: Matplotlib, or SVG in HTML
    along_ranking  calibration, draw probabilities, labels per rank, and marks for labelled items
    report_charts  `ReportCharts`: everything that the charts of one report show
    png            drawn with Matplotlib, on axes or as PNG files (extra `[plots]`)
    html           drawn with Plotly, as interactive HTML (extra `[report]`)
    threshold_page precision and recall at every threshold as HTML with a slider, without any library
    dot_rows       a table as HTML with a dot and an interval per row, which can be searched and sorted
    confusion      the most frequent pairs of a predicted and a true class among the labelled items
    digits         handwritten digits as PNG files, for demos and samples
    style          colours, and the names of metrics as people write them

The data is computed once; reports, plots and the demo only draw it. The owner's page draws its estimate path in
JavaScript (`web/static/chart.js`). No module here imports `Evaluation`: charts are made from a sampler, a view of a
pool, a history and a metric, so that `Evaluation.plot` can use them.
"""
