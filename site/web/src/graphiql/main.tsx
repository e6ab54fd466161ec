/** @jsxImportSource react */
import './workers';
import '@graphiql/react/font/roboto.css';
import '@graphiql/react/font/fira-code.css';
import '@graphiql/react/style.css';
import '@graphiql/plugin-doc-explorer/style.css';
import '@graphiql/plugin-history/style.css';
import 'graphiql/graphiql.css';
import './graphiql.css';
import { createRoot } from 'react-dom/client';
import { App } from './App';

createRoot(document.getElementById('main')!).render(<App />);
