"""Label Studio: items go out as tasks, and answers come back, by file or over HTTP.

tasks    tasks, the labelling config that fits them, and annotations as labels
client   the requests of Label Studio's HTTP interface               `Client`
sync     sends the items of a desk and receives their answers        `Synchronisation`
webhook  a receiver of Label Studio's calls, which are only hints    `Receiver`
"""
