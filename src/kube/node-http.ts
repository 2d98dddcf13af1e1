/**
 * Node's HTTP clients. An `import` of node:http reads all that it exports, also what it would load on first use, and so brings a whole
 * WebSocket client along: 6 MB and 20 ms for every agent.
 */
export const http = process.getBuiltinModule('node:http')
export const https = process.getBuiltinModule('node:https')
