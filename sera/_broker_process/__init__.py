"""What runs inside the embedded broker's own process.

It stands beside `sera.bus` instead of inside, and imports nothing of it: the child must answer
its first client within a few tenths of a second and stay small, and `sera.bus` brings pydantic
and the MQTT client along.

`hold.py`      starts mosquitto so that it never outlives the process that asked for it
`amqtt_main`   the program of the fallback broker
`amqtt_broker`, `amqtt_connection`   amqtt with a session layer of our own (they say why)
`passwords`    the password file that both brokers read
"""
