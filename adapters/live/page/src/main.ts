// SPDX-License-Identifier: MIT
import './style.css';
import { App } from './app';

const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
const app = new App(document.getElementById('app')!, `${scheme}://${location.host}/`);

// For tests and for a browser's console.
Object.assign(window, { fathom: app });
