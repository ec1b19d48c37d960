importScripts('https://app.example.com/sdk/v1/worker.js')
