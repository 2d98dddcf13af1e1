# The image of controller and commands on the base image of the Node project. `npm run image` needs neither this file nor a daemon.
FROM node:26-slim AS build
WORKDIR /src
COPY . .
RUN npm ci && npm pack --silent --pack-destination /tmp && npm install --omit=dev --prefix /app /tmp/nodewave-*.tgz ssh2@1.17.0 nodemailer@10.6.0 --ignore-scripts

FROM node:26-slim
COPY --from=build /app /app
USER 65532:65532
ENTRYPOINT ["node", "/app/node_modules/nodewave/bin/nodewave.js"]
