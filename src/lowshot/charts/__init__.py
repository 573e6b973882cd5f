"""What charts show, as data, and how it is drawn. A chart is prepared once; pages, reports and plots only draw it.

progress       the estimate against the number of labels
along_ranking  what a design believed along the ranking, and where labels fell
marks          labelled items along the ranking
prepared       all of them together, as a report shows them
png            drawn by Matplotlib
html           drawn by Plotly
style          colours, and names as people write them

The page draws `progress` itself, in JavaScript (`web/static/chart.js`). Nothing here knows an evaluation: charts are
made from a sampler, a view of a pool, a history and a metric, so that `Evaluation.plot` can use them.
"""
